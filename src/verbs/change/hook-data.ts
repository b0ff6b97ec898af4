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

/** An object with data that exists, and that helm deletes because it is a hook of a planned action. */
export interface HookData extends ObjectName {
  readonly release: ReleaseId
  /** The data that is deleted with it. */
  readonly with: string
  /**
   * Whether helm does not re-create it: helm also deletes the hook's new object, because the manifest no
   * longer has it.
   */
  readonly isGone?: true
}

/** Returns true for data that the user agrees to lose. */
export type ConfirmDataLoss = (data: HookData) => boolean | Promise<boolean>

interface Hooks {
  /** The objects that each release renders, or those of the target revision of a rollback. */
  readonly objectsOf: {get(release: ReleaseId): readonly KubernetesObject[] | undefined}
  readonly replaced: ReadonlyMap<ReleaseId, readonly ReplacedByHook[]>
}

/** Returns the data on the cluster that hooks of a plan delete. Reads nothing else from the cluster. */
export async function hookData(
  live: LiveObjects,
  {actions}: Pick<Plan, 'actions'>,
  {objectsOf, replaced}: Hooks,
): Promise<readonly HookData[]> {
  const data = await mapParallel(actions, async ({release, kind}): Promise<readonly HookData[]> => {
    if (kind !== 'install' && kind !== 'upgrade' && kind !== 'rollback') return []
    const hooks = dataOfHooks(objectsOf.get(release) ?? [], kind)
    const namespace = releaseNamespace(release)
    const present = hooks.length === 0 ? [] : await live.present(namespace, hooks)
    const deletedObjects = (replaced.get(release) ?? [])
      .filter(({isMade}) => !isMade)
      .map((each) => each.object)
    return present.map(({object}) => ({
      ...{release, ...nameOf(object, namespace), with: dataWith(object)},
      ...(deletedObjects.includes(object) && {isGone: true}),
    }))
  })
  return data.flat()
}

/** Returns the data on the cluster that hooks of a rollback's target revisions delete. */
export async function hookDataOfRollback(
  cluster: {readonly live: LiveObjects; readonly records: Records},
  plan: Plan,
): Promise<readonly HookData[]> {
  const rollbacks = plan.actions.filter((action) => action.kind === 'rollback')
  const revisions = await mapParallel(rollbacks, async ({release, target}) => {
    const stored = await cluster.records.stored(release, target)
    const hooks = stored ? hookObjects(stored) : []
    const before =
      dataOfHooks(hooks, 'rollback').length === 0 ? undefined : await cluster.records.stored(release)
    const helmChange = {namespace: releaseNamespace(release), verb: 'rollback'} as const
    return {
      release,
      hooks,
      replaced: replacedByHooks(parseManifest(before?.manifest ?? ''), hooks, helmChange),
    }
  })
  return hookData(cluster.live, plan, {
    objectsOf: new Map(revisions.map(({release, hooks}) => [release, hooks])),
    replaced: new Map(revisions.map(({release, replaced}) => [release, replaced])),
  })
}

/** Throws `KK_UNCONFIRMED` with all data whose loss is not confirmed. */
export async function expectConsent(
  data: readonly HookData[],
  confirmDataLoss: ConfirmDataLoss = () => false,
): Promise<void> {
  const unconfirmed: HookData[] = []
  for (const each of data) if (!(await confirmDataLoss(each))) unconfirmed.push(each)
  if (unconfirmed.length === 0) return
  throw new KkError(
    'KK_UNCONFIRMED',
    [
      'helm would delete these objects, because they are hooks of its actions:',
      ...unconfirmed.map(hookDataText),
    ].join('\n  '),
    {
      hint: `${KEPT_OR_NAMED}: ${confirmations(unconfirmed)}; nothing was changed`,
    },
  )
}

const KEPT_OR_NAMED =
  'to keep data, remove helm.sh/hook from the object in its chart; to delete it, name each object'

function confirmations(data: readonly HookData[]): string {
  return [...new Set(data.map((each) => `--confirm-data ${placedName(each)}`))].join(' ')
}

/** Returns the lines of a preview: the data that hooks delete, and the flags that confirm it. */
export function hookDataLines(data: readonly HookData[]): readonly string[] {
  if (data.length === 0) return []
  return [
    ...data.map((each) => `a hook deletes ${hookDataText(each)}`),
    `${KEPT_OR_NAMED}: ${confirmations(data)}`,
  ]
}

/** Returns true if this is the name of the object, with or without its namespace. */
export function isNameOf(data: HookData, name: string): boolean {
  return name === data.name || name === placedName(data)
}

/**
 * Returns e.g. `openstack/db: PersistentVolumeClaim openstack/data with its data; helm re-creates it empty`.
 */
export function hookDataText(data: HookData): string {
  const then = data.isGone ? 'it is not re-created' : 'helm re-creates it empty'
  return `${data.release}: ${data.kind} ${placedName(data)} ${data.with}; ${then}`
}

function placedName({kind, namespace, name}: HookData): string {
  return kind === 'Namespace' ? name : `${namespace}/${name}`
}
