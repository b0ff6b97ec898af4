import type {Cluster, KubernetesObject} from '../../cluster/cluster.ts'
import {hookObjects} from '../../cluster/manifest.ts'
import {mapParallel} from '../../cluster/parallel.ts'
import {KkError} from '../../errors.ts'
import type {Plan} from '../../plan/plan.ts'
import {dataOfHooks, dataWith} from '../../plan/removal/hook-data.ts'
import {nameOf, type ObjectName} from '../../plan/removal/objects.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'

/** An object that holds data and exists, and that helm deletes because it is a hook of what a plan does. */
export interface HookData extends ObjectName {
  readonly release: ReleaseId
  /** What is deleted with it. */
  readonly with: string
}

/** Returns true for data that the user gives up. */
export type GiveUp = (data: HookData) => boolean | Promise<boolean>

/**
 * Returns the data on the cluster that hooks of a plan delete; `objectsOf` has what each release renders, or what the
 * revision had that is returned to. Asks the cluster for nothing else.
 */
export async function hookData(
  cluster: Pick<Cluster, 'present'>,
  {actions}: Pick<Plan, 'actions'>,
  objectsOf: {get(release: ReleaseId): readonly KubernetesObject[] | undefined},
): Promise<readonly HookData[]> {
  const found = await mapParallel(actions, async ({release, kind}): Promise<readonly HookData[]> => {
    if (kind !== 'install' && kind !== 'upgrade' && kind !== 'rollback') return []
    const hooks = dataOfHooks(objectsOf.get(release) ?? [], kind)
    const namespace = releaseNamespace(release)
    const present = hooks.length === 0 ? [] : await cluster.present(namespace, hooks)
    return present.map(({object}) => ({release, ...nameOf(object, namespace), with: dataWith(object)}))
  })
  return found.flat()
}

/** Returns the data on the cluster that hooks of the revisions delete to which a plan returns. */
export async function hookDataOfRollback(
  cluster: Pick<Cluster, 'present' | 'stored'>,
  plan: Plan,
): Promise<readonly HookData[]> {
  const rollbacks = plan.actions.filter((action) => action.kind === 'rollback')
  const hooks = await mapParallel(rollbacks, async ({release, target}) => {
    const stored = await cluster.stored(release, target)
    return [release, stored ? hookObjects(stored) : []] as const
  })
  return hookData(cluster, plan, new Map(hooks))
}

/** Throws `KK_UNCONFIRMED` with all data that is not given up. */
export async function expectGivenUp(data: readonly HookData[], giveUp: GiveUp = () => false): Promise<void> {
  const open: HookData[] = []
  for (const each of data) if (!(await giveUp(each))) open.push(each)
  if (open.length === 0) return
  throw new KkError(
    'KK_UNCONFIRMED',
    [
      'helm would delete, for these are hooks, and make them again without data:',
      ...open.map(hookDataText),
    ].join('\n  '),
    {
      hint: `to keep them, have their charts make them without helm.sh/hook; to give them up, name each: ${[...new Set(open.map((each) => `--confirm-data ${placedName(each)}`))].join(' ')}; nothing was changed`,
    },
  )
}

/** Returns true if this is the name of the object, with its namespace or without. */
export function isNameOf(data: HookData, name: string): boolean {
  return name === data.name || name === placedName(data)
}

/** Returns e.g. `openstack/db: PersistentVolumeClaim openstack/data with its data`. */
export function hookDataText(data: HookData): string {
  return `${data.release}: ${data.kind} ${placedName(data)} ${data.with}`
}

function placedName({kind, namespace, name}: HookData): string {
  return kind === 'Namespace' ? name : `${namespace}/${name}`
}
