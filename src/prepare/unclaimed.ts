import {KkError} from '../base/errors.ts'
import {reachable} from '../graph/requirements.ts'
import {annotatedRelease} from '../kubernetes/manifest/helm-annotations.ts'
import {isHook} from '../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../kubernetes/manifest/kubernetes-object.ts'
import {objectName, parseManifest} from '../kubernetes/manifest/manifest.ts'
import type {StoredRelease} from '../kubernetes/records/release-record.ts'
import {droppedObjects} from '../plan/leftovers/dropped.ts'
import {isHelmManaged} from '../plan/leftovers/ownership.ts'
import type {Plan} from '../plan/plan.ts'
import {eventsDuring} from '../plan/removal/hook-data.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../release.ts'

/** An object of a release that already exists on the cluster. */
export interface ExistingObject {
  readonly release: ReleaseId
  readonly object: KubernetesObject
  readonly live: KubernetesObject['metadata']
}

/** A plan, and the revisions that each upgrade is compared with. */
export interface Compared {
  readonly plan: Plan
  readonly previous: ReadonlyMap<ReleaseId, readonly StoredRelease[]>
}

/**
 * Throws `KK_IN_THE_WAY` for existing objects that helm would not take over because they were not created for
 * this release; helm itself reports that only when it installs the release (Helm 4.2: validate.go
 * checkOwnership). Objects that the release had before, or that another release drops earlier in the same
 * plan, are allowed. Helm does not check the owner of hooks: it deletes the existing object, or fails. For
 * hooks only an object of another release is refused.
 */
export function expectUnclaimed(
  standing: readonly ExistingObject[],
  {
    plan,
    previous,
    rendered,
  }: Compared & {readonly rendered: ReadonlyMap<ReleaseId, readonly KubernetesObject[]>},
): void {
  const isGiven = ({release, object}: ExistingObject, owner: ReleaseId) =>
    comesBefore(plan, owner, release) && !has(rendered.get(owner), object, releaseNamespace(owner))
  const runs = ({release, object}: ExistingObject) => {
    const isNew = plan.actions.some((action) => action.release === release && action.kind === 'install')
    return eventsDuring(object, isNew ? 'install' : 'upgrade').length > 0
  }
  const blocked = standing.filter((each) => {
    const {release, object, live} = each
    // Helm accepts existing definitions in `crds/` regardless of their owner; here they look like other
    // objects.
    if (object.kind === 'CustomResourceDefinition') return false
    const owner = annotatedRelease(live)
    if (isHook(object)) return owner !== undefined && owner !== release && runs(each) && !isGiven(each, owner)
    if (owner === release ? isHelmManaged(live) : owner && isGiven(each, owner)) return false
    // An install checks the owner of every existing object.
    if (!isUpgraded(plan, release)) return true
    const before = (previous.get(release) ?? []).flatMap(({manifest}) => parseManifest(manifest))
    return !has(before, object, releaseNamespace(release))
  })
  if (blocked.length === 0) return
  const givers = new Set(
    blocked.flatMap(({live}) => annotatedRelease(live) ?? []).filter((owner) => isUpgraded(plan, owner)),
  )
  const first = [...givers].map(releaseName).join(' ')
  throw new KkError(
    'KK_IN_THE_WAY',
    `objects exist already that helm would not take over:\n  ${blocked.map(text).join('\n  ')}`,
    {
      hint: `${givers.size > 0 ? `if a release should give one up, upgrade it first: kk upgrade ${first}; else ` : ''}rename them in the values of these releases, or delete those that are not needed; nothing was changed`,
    },
  )
}

function text({release, object, live}: ExistingObject): string {
  const owner = annotatedRelease(live)
  if (isHook(object))
    return `${release}: ${objectName(object)}, which belongs to the release ${owner}: as a hook, it would take its place`
  const whose = owner ? `which belongs to the release ${owner}` : 'which no release made'
  return `${release}: ${objectName(object)}, ${owner === release ? 'which is not labelled app.kubernetes.io/managed-by: Helm' : whose}`
}

function has(
  objects: readonly KubernetesObject[] = [],
  object: KubernetesObject,
  namespace: string,
): boolean {
  return droppedObjects([object], objects, namespace).length === 0
}

function isUpgraded({actions}: Plan, release: ReleaseId): boolean {
  return actions.some((action) => action.release === release && action.kind === 'upgrade')
}

/** Returns true if `first` is upgraded before `then`, which requires it. */
function comesBefore(plan: Plan, first: ReleaseId, then: ReleaseId): boolean {
  const requires = new Map(plan.actions.map((action) => [action.release, action.requires]))
  const required = reachable([then], (release) => (requires.get(release) ?? []).map((each) => each.release))
  return isUpgraded(plan, first) && required.has(first)
}
