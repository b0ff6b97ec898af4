import {asKkError, type ErrorCode, KkError} from '../../base/errors.ts'
import {isLoopback} from '../../base/loopback.ts'
import {mentions} from '../../charts/own-files.ts'
import {definedKinds} from '../../kubernetes/inventory/custom-kinds.ts'
import {isHook} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {objectName} from '../../kubernetes/manifest/manifest.ts'
import {podTemplate} from '../../kubernetes/manifest/pods.ts'
import {imagesOf} from '../../plan/changes/images.ts'
import {isHolder} from '../../plan/leftovers/dropped.ts'
import {waiterOf} from '../../prepare/inference/manifests/waiter-of.ts'
import type {Rendered} from '../../prepare/rendering/render.ts'
import type {Redact} from '../../redact/redact.ts'
import {releaseName, releaseNamespace} from '../../release.ts'
import {accounts} from '../charts/checks/accounts/accounts.ts'
import type {Creator} from '../charts/checks/claimed-twice.ts'
import {deadlocks} from '../charts/checks/deadlocks/deadlocks.ts'
import {missingKinds} from '../charts/checks/missing-kinds.ts'
import {identity} from '../charts/same-object.ts'
import {usedKinds} from '../cluster/api-versions.ts'
import {judgeScheduling} from '../cluster/scheduling.ts'
import {classless, judgeNamedClasses, judgeStorageClasses} from '../cluster/storage-class.ts'
import type {Change, Changing, CheckResult} from './change.ts'
import {sharedCreations, sharedDeletions} from './claims.ts'
import {migrationDumps} from './migrations.ts'
import {recordSizes} from './record-size.ts'
import {scaledReplicas} from './scaled-replicas.ts'

/** A check before the first change; skipped if nothing changes. */
export interface Check {
  readonly name: string
  readonly changing: readonly Changing[]
  /** The effect of its findings, for the safety page. */
  readonly outcome: string
  /** Its requests in addition to those of the plan, for the same page. */
  readonly cost: string
  find(change: Change): readonly CheckResult[] | Promise<readonly CheckResult[]>
}

/** All checks, in the order in which they refuse. */
export const CHECKS: readonly Check[] = [
  {
    name: 'APIs of records',
    changing: ['deploy', 'rollback', 'remove'],
    outcome: 'refuses: KK_API_GONE',
    cost: 'none; two for each kind that is not served',
    find: unservedRecords,
  },
  {
    name: 'records in another namespace',
    changing: ['deploy'],
    outcome: 'refuses: KK_FOREIGN',
    cost: 'if a release is new: a list, and one for each release of the same name elsewhere',
    find: recordsOfOthers,
  },
  {
    name: 'objects of two releases',
    changing: ['deploy', 'rollback'],
    outcome:
      'refuses: KK_CLAIMED_TWICE; notes it if all releases create it as a hook, if one of their charts uses lookup, or if all had the object before',
    cost: 'one for each unchanged release that a changed one requires, that requires a changed one, that creates an object of the same kind and name, or that the file no longer names; with kk.infer: false for each of the environment',
    find: sharedCreations,
  },
  {
    name: 'objects that another release keeps',
    changing: ['deploy', 'rollback', 'remove'],
    outcome:
      'an upgrade keeps them, with a note; a rollback refuses, and a removal, unless the other release is confirmed: KK_CLAIMED_TWICE',
    cost: 'if an object goes: a list, and one for each release of the cluster',
    find: sharedDeletions,
  },
  {
    name: 'objects that become hooks',
    changing: ['deploy', 'rollback'],
    outcome: 'notes; data of hooks is asked for by name',
    cost: 'none',
    find: replacedObjects,
  },
  {
    name: 'hooks that never end',
    changing: ['deploy'],
    outcome: 'refuses: KK_UNSERVED',
    cost: 'none',
    find: endlessHooks,
  },
  {
    name: 'accounts of servers that are there',
    changing: ['deploy'],
    outcome: 'refuses: KK_UNSTATED',
    cost: 'none',
    find: unstatedKeys,
  },
  {
    name: 'kinds that come too late',
    changing: ['deploy'],
    outcome: 'refuses: KK_INVALID_OBJECT',
    cost: 'two if a chart has both a definition and its objects in its templates',
    find: lateKinds,
  },
  {
    name: 'size of records',
    changing: ['deploy'],
    outcome: 'refuses: KK_TOO_LARGE; notes it above 700 kB',
    cost: 'none',
    find: recordSizes,
  },
  {
    name: 'dumps before migrations',
    changing: ['deploy'],
    outcome: 'notes; refuses if the claim for them does not exist: KK_UNSERVED',
    cost: 'one if a dump is taken to a claim that no release makes',
    find: migrationDumps,
  },
  {
    name: 'accounts',
    changing: ['deploy', 'rollback'],
    outcome: 'notes',
    cost: 'those of "objects of two releases"',
    find: differingAccounts,
  },
  {
    name: 'replicas of autoscalers',
    changing: ['deploy', 'rollback'],
    outcome: 'notes',
    cost: 'if an upgrade states replicas: a list for each namespace, two with KEDA',
    find: scaledReplicas,
  },
  {
    name: 'storage classes',
    changing: ['deploy', 'rollback'],
    outcome: 'notes',
    cost: 'one if a claim is new',
    find: missingClasses,
  },
  {
    name: 'nodes',
    changing: ['deploy', 'rollback'],
    outcome: 'notes',
    cost: 'one if a chart has pods',
    find: missingNodes,
  },
  {
    name: 'images of this machine',
    changing: ['deploy'],
    outcome: 'notes',
    cost: 'none',
    find: imagesOfThisMachine,
  },
]

/**
 * Runs all checks of a change. Resolves with notes, including one for each check that could not run; sends no
 * request if nothing changes. Throws the first refusal in the order of the checks, together with all that
 * have the same code.
 */
export async function checkBefore(
  change: Change,
  checks: readonly Check[] = CHECKS,
  redact: Redact = (text) => text,
): Promise<readonly string[]> {
  if (change.next.size + change.recorded.size + change.toDelete.size === 0) return []
  const applicable = checks.filter(({changing}) => changing.includes(change.changing))
  const ended = await Promise.allSettled(applicable.map((check) => findingsOf(check, change)))
  // Each has undone what it started.
  const failed = ended.find(({status}) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  const results = ended
    .flatMap((each) => (each.status === 'fulfilled' ? each.value : []))
    .map((result) => ({...result, what: redact(result.what)}))
  const code = results.find(({refusal}) => refusal !== undefined)?.refusal
  if (code !== undefined) throw refusalOf(code, results)
  return [...new Set(results.map(({what, advice}) => (advice === undefined ? what : `${what}; ${advice}`)))]
}

async function findingsOf(check: Check, change: Change): Promise<readonly CheckResult[]> {
  try {
    return await check.find(change)
  } catch (error) {
    const {code, message} = asKkError(error)
    if (code !== 'KK_FORBIDDEN' && code !== 'KK_RECORD') throw error
    return [{what: `not checked: ${check.name}: ${message}`}]
  }
}

function refusalOf(code: ErrorCode, results: readonly CheckResult[]): KkError {
  const refusals = results.filter(({refusal}) => refusal === code)
  const advice = [...new Set(refusals.flatMap((each) => each.advice ?? []))]
  const lines = [...new Set(refusals.map(({what}) => `  ${what}`))]
  return new KkError(code, ['refused before the first change:', ...lines].join('\n'), {
    hint: [...advice, 'nothing was changed'].join('; '),
  })
}

/** Returns the kinds in records that the cluster no longer serves, unless the change brings their CRDs. */
async function unservedRecords({recorded, next, cluster, changing}: Change): Promise<readonly CheckResult[]> {
  const brought = new Set(
    definedKinds([...next.values()].flatMap(({objects}) => objects.map(({object}) => object))),
  )
  const results: CheckResult[] = []
  for (const {apiVersion, kind, releases} of usedKinds(recorded)) {
    if (brought.has(`${apiVersion}/${kind}`)) continue
    if (await cluster.diagnosis.served(apiVersion, kind)) continue
    const then =
      changing === 'remove' ? 'could not delete it, and the release would stay "uninstalling"' : 'would fail'
    results.push(
      ...releases.map((release) => ({
        what: `${release}: its record has ${kind} of ${apiVersion}, which the cluster no longer serves: helm ${then}`,
        advice: `helm plugin install https://github.com/helm/helm-mapkubeapis && helm mapkubeapis ${releaseName(release)} --namespace ${releaseNamespace(release)}`,
        refusal: 'KK_API_GONE' as const,
      })),
    )
  }
  return results
}

/**
 * Returns releases that a tool installed with its records in another namespace: a second release would have
 * the same objects.
 */
async function recordsOfOthers({recordsElsewhere}: Change): Promise<readonly CheckResult[]> {
  return ((await recordsElsewhere?.()) ?? []).map(({release, namespace}) => ({
    what: `${release} is installed: its helm record is in the namespace ${namespace}, as Flux stores it with storageNamespace`,
    advice: `leave ${releaseName(release)} to the tool that installed it, and remove its section; or make that tool release it, with its objects or with the record moved to ${releaseNamespace(release)}, and then: kk adopt ${releaseName(release)}`,
    refusal: 'KK_FOREIGN',
  }))
}

/**
 * Returns the objects that helm deletes because they become hooks; objects with data are confirmed like those
 * of other hooks.
 */
function replacedObjects({replaced = new Map()}: Change): readonly CheckResult[] {
  return [...replaced].flatMap(([release, hooks]) =>
    hooks
      .filter(({object}) => !isHolder(object))
      .map(({object, isMade}) => {
        const then = isMade
          ? 'and re-creates it after the other changes'
          : 'together with the object of the hook: afterwards it does not exist, and its users fail'
        return {
          what: `${release}: ${objectName(object)} becomes a hook: helm deletes it, ${then}`,
          advice: 'to keep it, create it in the chart without helm.sh/hook',
        }
      }),
  )
}

/** Returns the hooks that wait for objects that helm creates after them. */
function endlessHooks({next, given}: Change): readonly CheckResult[] {
  return deadlocks(freshIn(next), given)
    .filter(({level}) => level === 'problem')
    .map(({release, what, advice}) => ({what: `${release}: ${what}`, advice, refusal: 'KK_UNSERVED'}))
}

/** Returns the objects that the deployed revision of a release does not have: the others exist already. */
function freshIn(next: Change['next']): readonly Creator[] {
  return [...next].map(([release, {objects, before}]) => {
    const identitiesBefore = new Set(before.map((object) => identity(object, release)))
    return {release, objects: objects.filter(({object}) => !identitiesBefore.has(identity(object, release)))}
  })
}

/**
 * Returns the generated passwords and keys that pods would use for an external server, which does not know
 * them.
 */
function unstatedKeys({next, strayKeys = []}: Change): readonly CheckResult[] {
  const used = strayKeys.filter(({release, value}) => {
    const objects = (next.get(release)?.objects ?? []).map(({object}) => object)
    const keys = objects.flatMap((object) => keysWith(object, value))
    // The CronJob that cleans up after a release runs only with --purge.
    const pods = objects
      .filter((object) => waiterOf(object) !== 'cron')
      .map((object) => JSON.stringify(podTemplate(object)?.spec ?? {}))
    return keys.some((key) => pods.some((pod) => pod.includes(`"key":${JSON.stringify(key)}`)))
  })
  // The same for all: errors print equal advice once.
  const lines = [...new Set(used.map(({name}) => `${name}: …`))].join(', ')
  const paths = [...new Set(used.map(({path}) => path.join('.')))].join(', ')
  const advice = `store the values of the server: kk secrets import FILE, with a line for each (${lines}); or set ${paths}`
  return used.map(({release, server, name}) => ({
    what: `${release}: no release runs ${server}, and ${name} of the existing server is neither set nor stored`,
    advice,
    refusal: 'KK_UNSTATED',
  }))
}

/** Returns the keys of a Secret whose string contains the value. */
function keysWith({kind, data, stringData}: KubernetesObject, value: string): readonly string[] {
  if (kind !== 'Secret') return []
  const decoded = Object.entries(data ?? {}).map(([key, text]) => {
    return [key, Buffer.from(String(text), 'base64').toString()] as const
  })
  const all = [...decoded, ...Object.entries(stringData ?? {})]
  return all.filter(([, text]) => String(text).includes(value)).map(([key]) => key)
}

/**
 * Returns objects whose kind the same chart defines with them, so that helm does not find it. Charts that
 * query API versions are skipped, because they render other objects later.
 */
async function lateKinds({next, cluster}: Change): Promise<readonly CheckResult[]> {
  const silent = [...next].filter(([, {source}]) => source && !mentions(source.chart, 'APIVersions'))
  const possible = (served: readonly string[]) =>
    silent.flatMap(([release, {objects: atFirst}]) => missingKinds({release, atFirst}, served))
  if (possible([]).length === 0) return []
  return possible(await cluster.apiServer.customKinds()).map(({release, what, advice}) => ({
    ...{what: `${release}: ${what}`, advice},
    refusal: 'KK_INVALID_OBJECT',
  }))
}

/** Returns the accounts for which a changed release and another one have different passwords. */
async function differingAccounts({next, staying}: Change): Promise<readonly CheckResult[]> {
  if (next.size === 0) return []
  const unchanged = await staying()
  const releases = [
    ...[...next].map(([release, {objects}]) => ({release, objects})),
    ...unchanged.releases
      .filter(({release}) => !next.has(release))
      .map((each) => ({...each, objects: each.objects.filter(({object}) => !isHook(object))})),
  ].map((each) => ({...each, secondRender: each.objects}))
  return [
    ...accounts(releases)
      // Whether charts generate a cache key at each render is unknown here, and breaks no login.
      .filter(({level}) => level === 'problem')
      .filter(({release, other}) => next.has(release) || (other && next.has(other.release)))
      .map(({what, advice}) => ({what, advice})),
    ...unchanged.unread.map((what) => ({what: `not checked: accounts, objects of two releases: ${what}`})),
  ]
}

/** Returns new claims whose storage class the cluster lacks. */
async function missingClasses({next, cluster}: Change): Promise<readonly CheckResult[]> {
  const objects = objectsOf(freshIn(next))
  // A request is only needed if a claim has no class, or names one.
  if (classless(objects).length + judgeNamedClasses([], objects).length === 0) return []
  const classes = await cluster.diagnosis.storageClasses()
  return [
    ...judgeStorageClasses(classes, classless(objects), 'kubectl').filter(({level}) => level === 'problem'),
    ...judgeNamedClasses(classes, objects),
  ].map(({what, advice}) => ({what, advice}))
}

/** Returns pods that no node can take. */
async function missingNodes({next, cluster}: Change): Promise<readonly CheckResult[]> {
  const objects = objectsOf([...next].map(([release, {objects}]) => ({release, objects})))
  // A request is only needed if there is a pod.
  if (judgeScheduling(objects, []).length === 0) return []
  return judgeScheduling(objects, await cluster.diagnosis.nodes())
    .filter(({level}) => level === 'problem')
    .map(({what, advice}) => ({what, advice}))
}

/**
 * Finds images of a registry on the loopback address, for a cluster whose API server is elsewhere: each of
 * its nodes would look for the registry on itself.
 */
function imagesOfThisMachine({next, cluster}: Change): readonly CheckResult[] {
  if (isLoopback(URL.parse(cluster.server)?.host ?? '')) return []
  const registries = new Map<string, Set<string>>()
  for (const [release, {objects}] of next) {
    for (const image of imagesOf(objects.map(({object}) => object)).values()) {
      const [host = ''] = image.split('/')
      if (isLoopback(host))
        registries.set(host, (registries.get(host) ?? new Set()).add(releaseName(release)))
    }
  }
  return [...registries].map(([host, names]) => ({
    what: `images of ${[...names].join(', ')} are in ${host}, which is on each node the node itself, not this machine`,
    advice:
      'push or mirror them to a registry that the nodes reach, and name it in global.images.registry (kk docs images)',
  }))
}

function objectsOf(makers: readonly Creator[]): Rendered {
  return new Map(makers.map(({release, objects}) => [release, objects.map(({object}) => object)]))
}
