import {mentions} from '../../charts/own-files.ts'
import {isHook} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {objectName} from '../../kubernetes/manifest/manifest.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import {type CreatedObject, creatorIds, duplicateObjects} from '../charts/checks/claimed-twice.ts'
import {isUntouchedDefinition} from '../charts/checks/untouched-definitions.ts'
import {identity} from '../charts/same-object.ts'
import type {Change, CheckResult} from './change.ts'

/**
 * Returns the objects that two releases would create. It is a note if all releases had the object before, if
 * all create it as a hook, which helm deletes and re-creates, or if a chart may look up whether it exists. If
 * only one creates it as a hook, helm deletes the object of the other release, or fails because it exists.
 */
export async function sharedCreations({next, staying}: Change): Promise<readonly CheckResult[]> {
  if (next.size === 0) return []
  const unchanged = (await staying()).releases.filter(({release}) => !next.has(release))
  const makers = [...[...next].map(([release, {objects}]) => ({release, objects})), ...unchanged]
  return duplicateObjects(makers)
    .filter((same) => same.some(({release}) => next.has(release)) && !same.every(isUntouchedDefinition))
    .map((same) => {
      const what = `${objectName(same[0]!.object)} is created by ${namesOf(creatorIds(same))}`
      const hooks = same.filter(({object}) => isHook(object))
      const isRefused =
        hooks.length < same.length &&
        same.some((each) => isNew(each, next)) &&
        !same.some((each) => looksUp(each, next))
      const advice = 'disable it in one of them, or change its name in the values'
      const then =
        hooks.length > 0
          ? `, as a hook by ${namesOf(creatorIds(hooks))}: helm deletes the object of the other`
          : ''
      if (isRefused) return {what: `${what}${then}`, advice, refusal: 'KK_CLAIMED_TWICE' as const}
      return {what: `${what}${then || ': removing one would take it from the other'}`, advice}
    })
}

function isNew({release, object}: CreatedObject, next: Change['next']): boolean {
  const revision = next.get(release)
  if (!revision) return false
  const before = isHook(object) ? revision.hooksBefore : revision.before
  const key = identity(object, release)
  return !before.some((each) => identity(each, release) === key)
}

function looksUp({release}: CreatedObject, next: Change['next']): boolean {
  const chart = next.get(release)?.source?.chart
  return chart !== undefined && mentions(chart, 'lookup')
}

/** An object that helm deletes although another, remaining release has it. */
export interface SharedObject {
  readonly release: ReleaseId
  readonly object: KubernetesObject
  readonly keepers: readonly ReleaseId[]
}

/** Returns the objects that helm would delete although another release of the cluster also has them. */
export async function sharedObjects({toDelete, present}: Change): Promise<readonly SharedObject[]> {
  if (![...toDelete.values()].some((objects) => objects.length > 0)) return []
  const deletedKeys = [...toDelete].flatMap(([release, objects]) =>
    objects.map((object) => ({release, key: identity(object, release)})),
  )
  const isGoing = ({release, object}: CreatedObject) =>
    deletedKeys.some((each) => each.release === release && each.key === identity(object, release))
  const makers = (await present()).releases
  return duplicateObjects(mergedMakers(makers, toDelete)).flatMap((same) => {
    const keepers = [...new Set(same.filter((each) => !isGoing(each)).map(({release}) => release))]
    const lost = same.filter((each) => isGoing(each) && keepers.every((other) => other !== each.release))
    if (keepers.length === 0) return []
    const own = [...new Map(lost.map((each) => [each.release, each])).values()]
    return own.map(({release, object}) => ({release, object, keepers}))
  })
}

/** Adds the objects to delete to their releases; they may be of a revision that is not live. */
function mergedMakers(
  makers: Awaited<ReturnType<Change['present']>>['releases'],
  toDelete: Change['toDelete'],
) {
  const deleting = [...toDelete].map(([release, objects]) => ({
    release,
    objects: objects.map((object) => ({object, file: ''})),
  }))
  return [...makers, ...deleting]
}

/**
 * Returns findings for `sharedObjects`: an upgrade keeps them; a rollback and a removal would delete them.
 */
export async function sharedDeletions(change: Change): Promise<readonly CheckResult[]> {
  const {changing, toDelete, present} = change
  const shared = await sharedObjects(change)
  const unread = [...toDelete.values()].some((objects) => objects.length > 0) ? (await present()).unread : []
  return [
    ...shared.map(({release, object, keepers}): CheckResult => {
      const what = `${releaseName(release)}: ${objectName(object)}, which ${namesOf(keepers)} also ${keepers.length === 1 ? 'has' : 'have'},`
      if (changing === 'deploy') return {what: `${what} stays: kk makes helm keep it`}
      return {
        what: `${what} would be deleted`,
        advice:
          changing === 'rollback'
            ? 'revert the file to the older inputs, and run kk deploy, which keeps it'
            : `change its name in one of them, and upgrade that; or remove both; or remove it anyway, with ${keepers.map((other) => `--confirm ${other}`).join(' ')}, and then: kk upgrade ${keepers.map(releaseName).join(' ')} --correct-drift`,
        refusal: 'KK_CLAIMED_TWICE',
      }
    }),
    ...unread.map((what) => ({what: `not checked: objects that another release keeps: ${what}`})),
  ]
}

function namesOf(releases: readonly ReleaseId[]): string {
  const names = releases.map(releaseName)
  return (new Set(names).size === names.length ? names : releases).join(' and ')
}
