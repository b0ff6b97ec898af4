import {collectors} from '../../audit/gather.ts'
import {type OldQemu, readOldQemu} from '../../audit/versions.ts'
import {KkError} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {type InstancePlan, planInstances} from '../../nodes/drain-plan.ts'
import type {OperationEvent} from '../../nodes/facts.ts'
import {deployedReleases} from '../deployed-releases.ts'
import type {Names} from './drain.ts'
import {execute, type Following, type InstancePorts, readFacts, requireTemplate} from './instances.ts'

type RenewPorts = InstancePorts & Pick<Cluster, 'exec' | 'records'>

export interface RenewOptions extends Following {
  readonly environment: Environment
  /** The directory of kk's own files. */
  readonly files: string
  /** The names of nodes; all if empty. */
  readonly names: readonly string[]
}

/** How the instances that run an old QEMU get the one of another node. */
export interface RenewPlan {
  readonly environment: string
  readonly old: readonly OldQemu[]
  readonly nodes: readonly (InstancePlan & {readonly node: string})[]
}

/** Plans how instances move that run another QEMU than their nodes have. Throws `KK_EXEC`. */
export async function planRenewQemu(
  cluster: RenewPorts,
  options: RenewOptions,
): Promise<{readonly plan: RenewPlan; readonly names: Names}> {
  const {environment, names} = options
  const template = await requireTemplate(cluster, environment)
  const [old, facts] = await Promise.all([oldQemu(cluster, options), readFacts(cluster, template, options)])
  const chosen = old.filter(({node}) => names.length === 0 || names.includes(node))
  const nodes = [...Map.groupBy(chosen, ({node}) => node)].map(([node, own]) => {
    const servers = new Set(own.map(({server}) => server))
    const {operations, stays} = planInstances(facts, node)
    const of = (each: {readonly server?: string}) => each.server !== undefined && servers.has(each.server)
    const moves = operations.filter((each) => of(each) && each.do !== 'stop')
    const stopped = operations.filter((each) => of(each) && each.do === 'stop')
    const owners = new Map(facts.servers.map((server) => [server.id, server]))
    const tagged = stopped.map(({server}) => {
      const {id, name, project, user} = owners.get(server!)!
      return {server: id, name, project, user, why: 'its tag says kk:maintenance=stop: stop and start it'}
    })
    return {node, operations: moves, stays: [...stays.filter(of), ...tagged]}
  })
  return {
    plan: {environment: environment.name, old: chosen, nodes},
    names: new Map(facts.servers.map(({id, name}) => [id, name])),
  }
}

/** Throws `KK_EXEC` if the libvirt of a node cannot be read: its instances may be old. */
async function oldQemu(
  {exec, records}: RenewPorts,
  {environment, files}: RenewOptions,
): Promise<readonly OldQemu[]> {
  const releases = await deployedReleases({records}, environment)
  const {old, notAsked} = await readOldQemu({exec, program: collectors(files)}, {releases})
  const [unread] = notAsked
  if (unread) throw new KkError('KK_EXEC', `${unread.source} cannot be read: ${unread.reason}`)
  return old
}

export interface Renewed {
  readonly environment: string
  readonly operations: readonly OperationEvent[]
  /** The instances that still run an old QEMU. */
  readonly old: readonly OldQemu[]
}

/** Moves the instances of one node after the other, and reads again which run an old QEMU. */
export async function renewQemu(
  cluster: RenewPorts,
  {plan, concurrency, ...options}: RenewOptions & {readonly plan: RenewPlan; readonly concurrency: number},
): Promise<Renewed> {
  const template = await requireTemplate(cluster, options.environment)
  const done: OperationEvent[] = []
  for (const {node, operations} of plan.nodes)
    if (operations.length > 0)
      done.push(...(await execute(cluster, template, {...options, node, operations, concurrency})))
  const chosen = (await oldQemu(cluster, options)).filter(
    ({node}) => options.names.length === 0 || options.names.includes(node),
  )
  return {environment: plan.environment, operations: done, old: chosen}
}
