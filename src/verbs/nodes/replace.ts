import type {StatefulSet} from 'kubernetes-types/apps/v1.js'
import {KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {hindrances} from '../../doctor/cluster/scheduling.ts'
import {CLAIMS, NODES, PODS} from '../../kubernetes/api/resources.ts'
import type {Served} from '../../kubernetes/api/served.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {SeenPod} from '../../kubernetes/exec/exec.ts'
import type {Node, Pod} from '../../kubernetes/gate/kinds/observed.ts'
import {awayNode} from '../../kubernetes/gate/nodes.ts'
import {pollCluster} from '../../kubernetes/poll-cluster.ts'
import {missingLabels} from '../../nodes/removal-plan.ts'
import {
  type LostMember,
  type MemberSet,
  planReplacement,
  type ReplacementPlan,
} from '../../nodes/replacement-plan.ts'
import {labelsText} from './add.ts'
import type {DrainOptions, DrainPorts} from './drain.ts'
import {awaitHealthy, isSilent, podsOf, readNode} from './kubernetes-node.ts'
import {MEMBER_KINDS, type Members, opinion} from './members.ts'
import {placeOf} from './osds.ts'
import {type LiveWorkload, readResidentClaims, readWorkloads} from './workloads.ts'

export type ReplacePorts = DrainPorts & Pick<Cluster, 'diagnosis'>

export interface ReplaceOptions extends DrainOptions {
  /** The node that takes the place of the lost one; any that the charts select if omitted. */
  readonly replacement?: string | undefined
}

/**
 * Plans how the members of replicated services whose data was on a lost node begin again on others. Throws
 * `KK_NO_NODE` if the node or the replacement does not exist.
 */
export async function planReplace(cluster: ReplacePorts, options: ReplaceOptions): Promise<ReplacementPlan> {
  return (await readPlan(cluster, options)).plan
}

/** A StatefulSet of members, with the containers that can be asked about them. */
interface SeenSet {
  readonly set: LiveWorkload
  readonly members: Members
  /** The members whose disk is on the node. */
  readonly lost: readonly LostMember[]
}

/** What Kubernetes has of a node, and of the sets that may have members there. */
interface Seen {
  readonly node: Node | undefined
  readonly sets: readonly SeenSet[]
  /** The claims on the node, as `namespace/name`. */
  readonly claims: readonly string[]
  /** The pods on the node. */
  readonly pods: readonly SeenPod[]
}

async function readSets(cluster: ReplacePorts, options: ReplaceOptions): Promise<Seen> {
  const {environment, node: name} = options
  const [node, workloads, pods] = await Promise.all([
    cluster.objects.read<Node>(NODES, {namespace: '', name}),
    readWorkloads(cluster, environment),
    podsOf(cluster.exec, environment),
  ])
  const gone = node ?? {metadata: {name, labels: {'kubernetes.io/hostname': name}}}
  const resident = await readResidentClaims(cluster, environment, gone)
  if (!node && resident.length === 0) await readNode(cluster, name)
  const claims = resident.filter(({isLocal}) => isLocal).map((claim) => claim.name)
  const sets = workloads
    .filter((each) => each.kind === 'StatefulSet' && kindOf(each))
    .map((set): SeenSet => {
      const lost = lostMembers(set, claims)
      return {set, lost, members: membersOf(cluster, options, {set, lost, pods})}
    })
  return {node, sets, claims, pods: pods.filter((pod) => pod.node === name)}
}

function membersOf(
  {exec}: ReplacePorts,
  {node, files}: ReplaceOptions,
  {set, lost, pods}: Pick<SeenSet, 'set' | 'lost'> & {readonly pods: readonly SeenPod[]},
): Members {
  const {namespace, object} = set
  const names = lost.map(({pod}) => placeOf(pod).name)
  const release = object.metadata.labels?.['app.kubernetes.io/instance']
  const elsewhere = pods.filter((pod) => {
    return pod.namespace === namespace && pod.release === release && pod.node !== node && pod.isRunning
  })
  const member = new RegExp(`^${object.metadata.name}-\\d+$`)
  const others = elsewhere.filter(({name}) => member.test(name) && !names.includes(name))
  return {exec, pods: elsewhere, others, wanted: object.spec?.replicas ?? 1, lost: names, node, files}
}

async function judged({set, members, lost}: SeenSet): Promise<MemberSet> {
  const {namespace, chart, component, object} = set
  const answer =
    lost.length > 0 && members.others.length > 0
      ? await opinion(kindOf(set)!, members)
      : {doubts: [], listed: []}
  return {
    ...{name: `${namespace}/${object.metadata.name}`, chart, component, lost},
    ...{others: members.others.map((pod) => pod.name), ...answer},
  }
}

async function readPlan(
  cluster: ReplacePorts,
  options: ReplaceOptions,
): Promise<{readonly plan: ReplacementPlan; readonly sets: readonly SeenSet[]}> {
  const {node: name, replacement} = options
  const {node, sets, claims, pods} = await readSets(cluster, options)
  const members = await mapParallel(sets, judged)
  const known = new Set(sets.flatMap(({lost}) => lost.flatMap((member) => member.claims)))
  const place =
    replacement === undefined
      ? NO_LABELS
      : await judgeReplacement(
          cluster,
          replacement,
          sets.map(({set}) => set),
        )
  const isAlive = node !== undefined && !isSilent(node)
  const stateless = isAlive ? [] : await withoutClaims(cluster, pods)
  const plan = planReplacement({
    ...{node: name, replacement, ...place, sets: members, pods: stateless},
    lostClaims: claims.filter((claim) => !known.has(claim)),
    isAlive,
  })
  return {plan, sets}
}

/** Returns the pods of StatefulSets that mount no claim: Kubernetes replaces none whose end is unknown. */
async function withoutClaims({objects}: ReplacePorts, pods: readonly SeenPod[]): Promise<readonly string[]> {
  const found = await mapParallel(pods, ({namespace, name}) => objects.read<Pod>(PODS, {namespace, name}))
  return found.flatMap((pod) => {
    const {namespace, name, ownerReferences = []} = pod?.metadata ?? {}
    const isOfSet = ownerReferences.some(({kind, controller}) => controller && kind === 'StatefulSet')
    const hasClaim = (pod?.spec?.volumes ?? []).some((volume) => volume.persistentVolumeClaim)
    return isOfSet && !hasClaim ? [`${namespace}/${name}`] : []
  })
}

const NO_LABELS = {labels: {}, lacks: []}

function kindOf({chart, component}: Pick<LiveWorkload, 'chart' | 'component'>) {
  return MEMBER_KINDS[`${chart} ${component}`]
}

/**
 * Returns the members of a StatefulSet among the owners of claims: TEMPLATE-SET-ORDINAL, as its controller
 * does.
 */
function lostMembers({namespace, object}: LiveWorkload, claims: readonly string[]): readonly LostMember[] {
  const {metadata, spec} = object as Served<StatefulSet>
  const templates = (spec?.volumeClaimTemplates ?? []).map((template) => template.metadata?.name)
  return Array.from({length: spec?.replicas ?? 1}, (_, ordinal) => `${metadata.name}-${ordinal}`).flatMap(
    (pod) => {
      const own = templates
        .map((template) => `${namespace}/${template}-${pod}`)
        .filter((claim) => claims.includes(claim))
      return own.length > 0 ? [{pod: `${namespace}/${pod}`, claims: own}] : []
    },
  )
}

/** Returns the labels that a node needs for the members, and what else keeps them from it. */
async function judgeReplacement(
  cluster: ReplacePorts,
  name: string,
  sets: readonly LiveWorkload[],
): Promise<Pick<ReplacementPlan, 'labels'> & {readonly lacks: readonly string[]}> {
  const [node, seen] = await Promise.all([readNode(cluster, name), cluster.diagnosis.nodes()])
  const has = node.metadata.labels ?? {}
  const labels = missingLabels(sets, has)
  const schedulable = seen.find((each) => each.name === name)
  const labelled = schedulable && {...schedulable, labels: {...has, ...labels}}
  const reasons = sets.flatMap(({object}) =>
    labelled ? hindrances(labelled, {...object, apiVersion: 'apps/v1', kind: 'StatefulSet'}) : [],
  )
  const away = awayNode(node)?.reason
  return {
    labels,
    lacks: [...(away === undefined ? [] : [`is ${away}`]), ...new Set(reasons)].map(
      (why) => `${name} ${why}`,
    ),
  }
}

/** Throws `KK_NODE_NEEDED` if the other members cannot do without those of the node. */
export function refuseIfNeeded({node, refusals}: ReplacementPlan): void {
  if (refusals.length === 0) return
  throw new KkError('KK_NODE_NEEDED', `the data of ${node} is not given up: ${refusals.join('; ')}`)
}

/** The result of a replacement. */
export interface Replaced {
  readonly node: string
  /** The members that have begun again, as `namespace/name`. */
  readonly members: readonly string[]
  /** The claims whose data no other member has. */
  readonly lostClaims: readonly string[]
}

/**
 * Gives up the data of a lost node that other members have: these forget the lost ones, whose pods begin
 * again on other nodes with empty claims. Reads the members again first: a user may have thought about the
 * plan for long. Idempotent: after an interruption, the next call goes on. Throws `KK_NODE_NEEDED`, and
 * `KK_UNHEALTHY` at the deadline.
 */
export async function replace(cluster: ReplacePorts, options: ReplaceOptions): Promise<Replaced> {
  const {replacement, onProgress} = options
  const {plan, sets} = await readPlan(cluster, options)
  refuseIfNeeded(plan)
  if (replacement !== undefined && Object.keys(plan.labels).length > 0) {
    await cluster.objects.merge(NODES, {namespace: '', name: replacement}, {metadata: {labels: plan.labels}})
    onProgress(`${replacement} has the labels ${labelsText(plan.labels)}`)
  }
  for (const {name, listed} of plan.members) {
    const {set, members} = sets.find((each) => setName(each) === name)!
    if (listed.length === 0) continue
    await kindOf(set)!.forget(members, listed, options)
    onProgress(`the other members of ${name} have forgotten ${listed.join(', ')}`)
  }
  const lost = plan.members.flatMap((each) => each.lost)
  await mapParallel(lost, (member) => beginAgain(cluster, member, options))
  for (const pod of plan.pods) await cluster.objects.delete(PODS, placeOf(pod), {force: true})
  const ends = await Promise.allSettled(sets.map((each) => completed(cluster, each, options)))
  for (const end of ends) if (end.status === 'rejected') throw end.reason
  return {node: plan.node, members: lost.map(({pod}) => pod), lostClaims: plan.lostClaims}
}

/** As soon as a set is healthy, its members get what the others do not give them by themselves. */
async function completed(cluster: ReplacePorts, {set}: SeenSet, options: ReplaceOptions): Promise<void> {
  const {namespace, object} = set
  const objects = [{...object, apiVersion: 'apps/v1', kind: 'StatefulSet'}]
  await awaitHealthy(cluster, {namespace, objects}, options)
  const {complete} = kindOf(set)!
  if (!complete) return
  // The containers that run now.
  const pods = await podsOf(cluster.exec, options.environment)
  const members = membersOf(cluster, options, {set, lost: [], pods})
  if (members.others.length > 0) await complete(members, options)
}

function setName({set: {namespace, object}}: SeenSet): string {
  return `${namespace}/${object.metadata.name}`
}

/** Deletes the claims of a member with its pod, which Kubernetes creates again with new claims. */
async function beginAgain(
  {objects}: ReplacePorts,
  {pod, claims}: LostMember,
  {deadline, signal, onProgress}: ReplaceOptions,
): Promise<void> {
  const uid = async () => (await objects.read<Named>(PODS, placeOf(pod)))?.metadata.uid
  const former = await uid()
  // A claim is deleted when its pod is.
  for (const claim of claims) await objects.delete(CLAIMS, placeOf(claim))
  await objects.delete(PODS, placeOf(pod), {force: true})
  onProgress(`${pod} begins again, with empty ${claims.join(', ')}`)
  await pollCluster(
    async () => {
      const found = await Promise.all(claims.map((claim) => objects.read<Named>(CLAIMS, placeOf(claim))))
      const isNew = (await uid()) !== former
      if (isNew && found.every((claim) => claim && !claim.metadata.deletionTimestamp)) return true
      // Kubernetes creates a missing claim when it creates the pod.
      if (isNew && found.some((claim) => !claim)) await objects.delete(PODS, placeOf(pod), {force: true})
      return false
    },
    {interval: 5_000, deadline, signal},
  )
}

interface Named {
  readonly metadata: {readonly uid?: string; readonly deletionTimestamp?: string}
}
