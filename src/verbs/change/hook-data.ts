import {KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {hookObjects, parseManifest} from '../../kubernetes/manifest/manifest.ts'
import type {LiveObjects} from '../../kubernetes/objects/live-objects.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import {type ReplacedByHook, replacedByHooks} from '../../plan/leftovers/replaced-by-hooks.ts'
import type {Plan} from '../../plan/plan.ts'
import {dataOfHooks, dataWith} from '../../plan/removal/hook-data.ts'
import {nameOf, type ObjectName} from '../../plan/removal/objects.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'

/** An object that holds data and exists, and that helm deletes because it is a hook of what a plan does. */
export interface HookData extends ObjectName {
  readonly release: ReleaseId
  /** What is deleted with it. */
  readonly with: string
  /** Whether helm leaves none in its place: it deletes what the hook has made, too, as what the manifest no longer has. */
  readonly isGone?: true
}

/** Returns true for data that the user gives up. */
export type GiveUp = (data: HookData) => boolean | Promise<boolean>

interface Hooks {
  /** What each release renders, or what the revision had that is returned to. */
  readonly objectsOf: {get(release: ReleaseId): readonly KubernetesObject[] | undefined}
  readonly replaced: ReadonlyMap<ReleaseId, readonly ReplacedByHook[]>
}

/** Returns the data on the cluster that hooks of a plan delete. Asks the cluster for nothing else. */
export async function hookData(
  live: LiveObjects,
  {actions}: Pick<Plan, 'actions'>,
  {objectsOf, replaced}: Hooks,
): Promise<readonly HookData[]> {
  const found = await mapParallel(actions, async ({release, kind}): Promise<readonly HookData[]> => {
    if (kind !== 'install' && kind !== 'upgrade' && kind !== 'rollback') return []
    const hooks = dataOfHooks(objectsOf.get(release) ?? [], kind)
    const namespace = releaseNamespace(release)
    const present = hooks.length === 0 ? [] : await live.present(namespace, hooks)
    const gone = (replaced.get(release) ?? []).filter(({isMade}) => !isMade).map((each) => each.object)
    return present.map(({object}) => ({
      ...{release, ...nameOf(object, namespace), with: dataWith(object)},
      ...(gone.includes(object) && {isGone: true}),
    }))
  })
  return found.flat()
}

/** Returns the data on the cluster that hooks of the revisions delete to which a plan returns. */
export async function hookDataOfRollback(
  cluster: {readonly live: LiveObjects; readonly records: Records},
  plan: Plan,
): Promise<readonly HookData[]> {
  const rollbacks = plan.actions.filter((action) => action.kind === 'rollback')
  const found = await mapParallel(rollbacks, async ({release, target}) => {
    const stored = await cluster.records.stored(release, target)
    const hooks = stored ? hookObjects(stored) : []
    const before =
      dataOfHooks(hooks, 'rollback').length === 0 ? undefined : await cluster.records.stored(release)
    const way = {namespace: releaseNamespace(release), verb: 'rollback'} as const
    return {release, hooks, replaced: replacedByHooks(parseManifest(before?.manifest ?? ''), hooks, way)}
  })
  return hookData(cluster.live, plan, {
    objectsOf: new Map(found.map(({release, hooks}) => [release, hooks])),
    replaced: new Map(found.map(({release, replaced}) => [release, replaced])),
  })
}

/** Throws `KK_UNCONFIRMED` with all data that is not given up. */
export async function expectGivenUp(data: readonly HookData[], giveUp: GiveUp = () => false): Promise<void> {
  const open: HookData[] = []
  for (const each of data) if (!(await giveUp(each))) open.push(each)
  if (open.length === 0) return
  throw new KkError(
    'KK_UNCONFIRMED',
    [
      'helm would delete these objects, because they are hooks of what it does:',
      ...open.map(hookDataText),
    ].join('\n  '),
    {
      hint: `${KEPT_OR_NAMED}: ${confirmations(open)}; nothing was changed`,
    },
  )
}

const KEPT_OR_NAMED =
  'to keep data, have its chart make the object without helm.sh/hook; to give it up, name each'

function confirmations(data: readonly HookData[]): string {
  return [...new Set(data.map((each) => `--confirm-data ${placedName(each)}`))].join(' ')
}

/** Returns the lines of a preview: what hooks delete, and how a change is asked for that does so. */
export function hookDataLines(data: readonly HookData[]): readonly string[] {
  if (data.length === 0) return []
  return [
    ...data.map((each) => `a hook deletes ${hookDataText(each)}`),
    `${KEPT_OR_NAMED}: ${confirmations(data)}`,
  ]
}

/** Returns true if this is the name of the object, with its namespace or without. */
export function isNameOf(data: HookData, name: string): boolean {
  return name === data.name || name === placedName(data)
}

/** Returns e.g. `openstack/db: PersistentVolumeClaim openstack/data with its data; helm makes it again empty`. */
export function hookDataText(data: HookData): string {
  const then = data.isGone ? 'nothing takes its place' : 'helm makes it again empty'
  return `${data.release}: ${data.kind} ${placedName(data)} ${data.with}; ${then}`
}

function placedName({kind, namespace, name}: HookData): string {
  return kind === 'Namespace' ? name : `${namespace}/${name}`
}
