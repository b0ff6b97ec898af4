import type * as core from 'kubernetes-types/core/v1.js'
import type {DeepReadonly} from '../../kubernetes/api/served.ts'
import type {SchedulableNode, Taint} from '../../kubernetes/diagnosis/diagnosis.ts'
import {matchesExpression, type Toleration, tolerates} from '../../kubernetes/gate/nodes.ts'
import {parseQuantity} from '../../kubernetes/inventory/quantity.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {objectName} from '../../kubernetes/manifest/manifest.ts'
import {podTemplate} from '../../kubernetes/manifest/pods.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import type {Check, CheckFinding} from '../finding.ts'

/** Finds pods that fit no node, not even an empty one: they and their release would stay pending. */
export const schedulingCheck: Check = {
  name: 'scheduling',
  needs: 'environment',
  okMessage: 'every rendered pod fits a node',
  async run({cluster, rendered}) {
    const [nodes, objects] = await Promise.all([cluster.diagnosis.nodes(), rendered()])
    return judgeScheduling(objects, nodes)
  },
}

type Quantities = Readonly<Record<string, string | number>>

interface Resources {
  readonly requests?: Quantities
  readonly limits?: Quantities
}

interface Container {
  readonly restartPolicy?: string
  readonly resources?: Resources
}

/** The pod spec of a chart, which may contain quantities as numbers. */
type PodSpec = Partial<DeepReadonly<Omit<core.PodSpec, 'containers' | 'initContainers' | 'overhead'>>> & {
  readonly containers?: readonly Container[]
  readonly initContainers?: readonly Container[]
  readonly overhead?: Quantities
}
type Expression = DeepReadonly<core.NodeSelectorRequirement>

/** The reasons that keep a pod from a node, each phrased to follow the node's name. */
interface Hindrances {
  readonly labels: readonly string[]
  readonly taints: readonly string[]
  readonly sizes: readonly string[]
  /** The request divided by what the node has, of the resource that it lacks most. */
  readonly excess: number
}

/** Returns one finding for all workloads that fit no node for the same reason. */
export function judgeScheduling(
  rendered: ReadonlyMap<ReleaseId, readonly KubernetesObject[]>,
  nodes: readonly SchedulableNode[],
): readonly CheckFinding[] {
  const pods = [...rendered].flatMap(([release, objects]) =>
    objects.flatMap((object) => {
      const spec = podTemplate(object)?.spec as PodSpec | undefined
      if (!spec || spec.nodeName || replicasOf(object) === 0) return []
      return [{title: `${objectName(object)} of ${releaseName(release)}`, kind: object.kind, spec}]
    }),
  )
  if (nodes.length === 0 && pods.length > 0) {
    const what = `the cluster has no node for the pods of ${[...rendered.keys()].map(releaseName).join(', ')}`
    return [{level: 'problem', what, advice: 'add nodes to the cluster'}]
  }
  const unschedulable = pods.flatMap(({title, kind, spec}) => {
    const why = whyNowhere(spec, kind, nodes)
    return why ? [{title, ...why}] : []
  })
  return [...Map.groupBy(unschedulable, ({why}) => why).values()].map((alike) => {
    const [{level, why, advice}] = alike as [(typeof alike)[number]]
    return {level, what: `${alike.map(({title}) => title).join(', ')}: ${why}`, advice}
  })
}

/** Returns the reasons that keep the pods of a workload from a node, each phrased to follow its name. */
export function hindrances(node: SchedulableNode, object: KubernetesObject): readonly string[] {
  const spec = podTemplate(object)?.spec as PodSpec | undefined
  if (!spec) return []
  const {labels, taints, sizes} = hindrancesOf(node, spec, object.kind, requestsOf(spec))
  return [...labels, ...taints, ...sizes]
}

function replicasOf({spec}: KubernetesObject): unknown {
  return (spec as {readonly replicas?: unknown} | undefined)?.replicas
}

function whyNowhere(
  spec: PodSpec,
  kind: string,
  nodes: readonly SchedulableNode[],
): {level: CheckFinding['level']; why: string; advice: string} | undefined {
  const requests = requestsOf(spec)
  const seen = nodes.map((node) => ({node, ...hindrancesOf(node, spec, kind, requests)}))
  const [nearest] = seen.toSorted(
    (one, other) =>
      one.labels.length - other.labels.length ||
      one.taints.length - other.taints.length ||
      one.sizes.length - other.sizes.length ||
      one.excess - other.excess,
  )
  if (!nearest) return undefined
  const {labels, taints, sizes, node} = nearest
  const lacks = [...labels, ...taints, ...sizes].join('; ')
  if (lacks === '') return undefined
  // A DaemonSet creates pods only for nodes that match.
  if (kind === 'DaemonSet' && labels.length + taints.length > 0) {
    const why = `runs on none of the ${nodes.length} nodes; the nearest, ${node.name}, ${lacks}`
    return {level: 'info', why, advice: 'nothing to do, unless a node should run it'}
  }
  const why = `its pods fit none of the ${nodes.length} nodes; the nearest, ${node.name}, ${lacks}`
  return {level: 'problem', why, advice: adviceFor(nearest)}
}

function adviceFor({labels, taints}: Hindrances): string {
  if (labels.length > 0) return 'label the intended nodes, or change the node selector in the values'
  if (taints.length > 0) return 'set a toleration in the values, or remove the taint from the node'
  return 'reduce the requests in the values, or add a larger node'
}

function hindrancesOf(node: SchedulableNode, spec: PodSpec, kind: string, requests: Amounts): Hindrances {
  const tolerations = [...(spec.tolerations ?? []), ...(kind === 'DaemonSet' ? DAEMON_SET_TOLERATIONS : [])]
  const short = [...requests].filter(([name, wanted]) => wanted > parseQuantity(node.allocatable[name] ?? 0))
  return {
    labels: unmetLabels(node, spec),
    taints: node.taints
      .filter(
        (taint) => taint.effect !== 'PreferNoSchedule' && !tolerations.some((each) => tolerates(each, taint)),
      )
      .map((taint) => `has the taint ${taintText(taint)}, which they do not tolerate`),
    sizes: short.map(([name, wanted]) => {
      const has = text(name, parseQuantity(node.allocatable[name] ?? 0))
      return `has ${name} ${has}, but each requests ${text(name, wanted)}`
    }),
    excess: Math.max(
      0,
      ...short.map(([name, wanted]) => wanted / parseQuantity(node.allocatable[name] ?? 0)),
    ),
  }
}

function unmetLabels({name, labels}: SchedulableNode, {nodeSelector, affinity}: PodSpec): readonly string[] {
  const unmet = Object.entries(nodeSelector ?? {}).filter(([key, value]) => labels[key] !== value)
  const terms = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms
  const isMet = (terms ?? []).some(
    ({matchExpressions = [], matchFields = []}) =>
      matchExpressions.length + matchFields.length > 0 &&
      matchExpressions.every((each) => matchesExpression(labels[each.key], each)) &&
      matchFields.every((each) => each.key === 'metadata.name' && matchesExpression(name, each)),
  )
  const affine =
    terms && !isMet ? [`does not match the node affinity ${terms.map(termText).join(' or ')}`] : []
  return [
    ...unmet.map(([key, value]) => {
      const has = labels[key] === undefined ? '' : ` but ${labels[key]}`
      return `does not have the label ${key}=${value}${has}`
    }),
    ...affine,
  ]
}

function termText({
  matchExpressions = [],
  matchFields = [],
}: {
  readonly matchExpressions?: readonly Expression[]
  readonly matchFields?: readonly Expression[]
}): string {
  const each = ({key, operator, values}: Expression) =>
    [key, operator, ...(values ? [values.join(', ')] : [])].join(' ')
  return `(${[...matchExpressions, ...matchFields].map(each).join(' and ')})`
}

function taintText({key, value, effect}: Taint): string {
  return `${key}${value ? `=${value}` : ''}:${effect}`
}

/**
 * The tolerations that the controller adds to the pods of DaemonSets (Kubernetes 1.36: daemon_controller
 * AddOrUpdateDaemonPodTolerations).
 */
const DAEMON_SET_TOLERATIONS: readonly Toleration[] = [
  'not-ready',
  'unreachable',
  'disk-pressure',
  'memory-pressure',
  'pid-pressure',
  'unschedulable',
  'network-unavailable',
].map((name) => ({key: `node.kubernetes.io/${name}`, operator: 'Exists'}))

type Amounts = ReadonlyMap<string, number>

/** Returns what a pod requests of a node (Kubernetes 1.36: resourcehelper PodRequests). */
function requestsOf({containers = [], initContainers = [], overhead = {}}: PodSpec): Amounts {
  let [sidecars, start]: Amounts[] = [new Map(), new Map()]
  for (const each of initContainers) {
    const own = containerRequests(each)
    start = combine(start!, combine(sidecars!, own, sum), Math.max)
    if (each.restartPolicy === 'Always') sidecars = combine(sidecars!, own, sum)
  }
  const running = containers.map(containerRequests).reduce((all, own) => combine(all, own, sum), sidecars!)
  return combine(combine(running, start!, Math.max), amounts(overhead), sum)
}

/** Returns the requests of a container; a limit without a request counts as the request. */
function containerRequests({resources}: Container): Amounts {
  return amounts({...resources?.limits, ...resources?.requests})
}

function amounts(quantities: Quantities): Amounts {
  return new Map(Object.entries(quantities).map(([name, quantity]) => [name, parseQuantity(quantity)]))
}

const sum = (one: number, other: number) => one + other

function combine(one: Amounts, other: Amounts, how: (one: number, other: number) => number): Amounts {
  const names = new Set([...one.keys(), ...other.keys()])
  return new Map([...names].map((name) => [name, how(one.get(name) ?? 0, other.get(name) ?? 0)]))
}

/** Returns bytes in Gi, and any other quantity as a plain number, rounded to two places. */
function text(name: string, value: number): string {
  const isBytes = name === 'memory' || name === 'ephemeral-storage' || name.startsWith('hugepages-')
  return isBytes ? `${round(value / 2 ** 30)}Gi` : `${round(value)}`
}

function round(value: number): number {
  return Math.round(value * 100) / 100
}
