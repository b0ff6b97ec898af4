import {collectors, type NotAsked} from '../../audit/gather.ts'
import {type OldQemu, readOldQemu} from '../../audit/versions.ts'
import {asKkError} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {type InstancePlan, planInstances} from '../../nodes/drain-plan.ts'
import type {CloudFacts, OperationEvent} from '../../nodes/facts.ts'
import {deployedReleases} from '../deployed-releases.ts'
import {enabledFacts, execute, type Following, type InstancePorts, requireTemplate} from './instances.ts'
import {readNode} from './kubernetes-node.ts'

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
  readonly nodes: readonly NodeRenewal[]
  /** The nodes whose libvirt cannot be read. */
  readonly notAsked: readonly NotAsked[]
}

interface NodeRenewal extends InstancePlan {
  readonly node: string
}

/** Plans how instances move that run another QEMU than their nodes have. Throws `KK_NO_NODE`. */
export async function planRenewQemu(cluster: RenewPorts, options: RenewOptions): Promise<RenewPlan> {
  const {environment, names} = options
  for (const name of names) await readNode(cluster, name)
  const template = await requireTemplate(cluster, environment)
  const [found, facts] = await Promise.all([
    oldQemu(cluster, options),
    enabledFacts(cluster, template, options),
  ])
  const nodes = [...new Set(found.old.map(({node}) => node))]
  return {
    environment: environment.name,
    ...found,
    nodes: nodes.map((node) => renewal(facts, node, found.old)),
  }
}

/** Returns the moves of the instances of a node that run an old QEMU, and which of them stay. */
function renewal(facts: CloudFacts, node: string, old: readonly OldQemu[]): NodeRenewal {
  const servers = new Set(old.map(({server}) => server))
  const isOld = ({server}: {readonly server?: string}) => server !== undefined && servers.has(server)
  const {operations, stays} = planInstances(facts, node)
  const stopped = operations.filter((each) => isOld(each) && each.do === 'stop').map(({server}) => server)
  const tagged = facts.servers
    .filter(({id}) => stopped.includes(id))
    .map(({id, name, project, user}) => {
      return {server: id, name, project, user, why: 'its tag says kk:maintenance=stop: stop and start it'}
    })
  return {
    node,
    operations: operations.filter((each) => isOld(each) && each.do !== 'stop'),
    stays: [...stays.filter(isOld), ...tagged],
  }
}

async function oldQemu(
  {exec, records}: RenewPorts,
  {environment, files, names}: RenewOptions,
): Promise<Pick<RenewPlan, 'old' | 'notAsked'>> {
  const releases = await deployedReleases({records}, environment)
  const {old, notAsked} = await readOldQemu({exec, program: collectors(files)}, {releases})
  if (!releases.some(({chart}) => chart === 'libvirt'))
    return {old, notAsked: [{source: 'libvirt', reason: 'no release has its chart'}]}
  const isChosen = (node: string) => names.length === 0 || names.includes(node)
  return {
    old: old.filter(({node}) => isChosen(node)),
    notAsked: notAsked.filter(({source}) => isChosen(source.replace(/^libvirt on /, ''))),
  }
}

export interface Renewed extends Pick<RenewPlan, 'environment' | 'old' | 'notAsked'> {
  readonly operations: readonly OperationEvent[]
  /** The nodes whose instances could not be moved, and why. */
  readonly failed: readonly {readonly node: string; readonly why: string}[]
}

interface Renewing extends RenewOptions {
  readonly plan: RenewPlan
  /** How many instances of a node move at once. */
  readonly concurrency: number
  /** Returns the deadline of a node whose instances move now. */
  readonly newDeadline: () => number
}

/** Moves the instances of one node after the other, and reads again which run an old QEMU. */
export async function renewQemu(
  cluster: RenewPorts,
  {plan, concurrency, newDeadline, ...options}: Renewing,
): Promise<Renewed> {
  const template = await requireTemplate(cluster, options.environment)
  const done: OperationEvent[] = []
  const failed: {node: string; why: string}[] = []
  for (const {node} of plan.nodes) {
    const following = {...options, deadline: newDeadline()}
    try {
      // Owners have tagged, moved and deleted instances since the plan.
      const {operations} = renewal(await enabledFacts(cluster, template, following), node, plan.old)
      if (operations.length > 0)
        done.push(...(await execute(cluster, template, {...following, node, operations, concurrency})))
    } catch (error) {
      failed.push({node, why: asKkError(error).message})
    }
  }
  const left = await oldQemu(cluster, options)
  return {environment: plan.environment, operations: done, failed, ...left}
}
