import {Flags} from '@oclif/core'
import {KkError} from '../../base/errors.ts'
import {KkCommand} from '../../cli/command.ts'
import {canAsk, confirm} from '../../cli/console.ts'
import {
  type ClusterFlags,
  clusterFlags,
  environmentFlags,
  type FlagValues,
  type HelmFlags,
  helmFlags,
  repeated,
} from '../../cli/flags.ts'
import {namesCluster, openChosenCluster, openUsersHelm} from '../../cli/open/cluster.ts'
import {openGraph} from '../../cli/open/open.ts'
import {CLUSTER_OBJECTS, changeFlags} from '../../cli/run/flags.ts'
import {expectImage} from '../../cli/run/image-reference.ts'
import {operatorCommand} from '../../cli/run/repeat-command.ts'
import {VERSION} from '../../cli/version.ts'
import type {ReleaseCall} from '../../helm/helm.ts'
import {NAMESPACES} from '../../kubernetes/api/resources.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {nameProblem} from '../../kubernetes/manifest/name-problem.ts'
import {type InstallOptions, withChart, writeChart} from '../../operator/install/chart.ts'
import {crdObjects, installOperator, operatorObjects, siteObjects} from '../../operator/install/install.ts'
import {expectShape, SHAPES, type Shape} from '../../operator/install/shape.ts'
import {listShards, OTHERS} from '../../operator/workers/shards.ts'
import {builtInFiles} from '../../state/assets.ts'

export default class OperatorInstall extends KkCommand {
  static override summary = 'Install or upgrade the operator in the cluster.'
  static override description =
    'Applies its CRDs, and installs its chart, with its roles and its Deployment, as the release kk-operator in kk-system. The operator can deploy only to the named namespaces. With --dry-run, prints the objects as JSON, for kubectl apply or for Git, and changes nothing; if a cluster is named, checks that the operator is not installed there with another topology. With --chart, writes a Helm chart of the same objects instead, without the CRDs: apply them with --crds. With --account, installs only a ServiceAccount with its roles, for a kubeconfig with which the operator of another cluster deploys to this one.'
  static override examples = [
    'kk operator install --image registry.example.org/kk:1 --namespace openstack --sandbox --dry-run',
    'A Helm chart of the operator, for kk charts package and publish.\nkk operator install --image registry.example.org/kk:1 --namespace openstack --chart operator-chart',
    'kk operator install --crds --sandbox --dry-run',
  ]
  static override flags = {
    image: Flags.string({summary: 'The image of kk, which includes helm.', helpValue: 'IMAGE'}),
    namespace: repeated('NAME', 'The namespace of the releases that the operator deploys; may be repeated.', {
      char: 'n',
    }),
    removal: Flags.boolean({
      summary:
        'Allow the operator to remove releases if the plan is approved; this grants read access to the Secrets of all namespaces.',
    }),
    'node-operations': Flags.boolean({
      summary:
        'Allow the operator to carry out NodeOperations, such as the drain of a node; this lets it change nodes, and evict pods in all namespaces.',
    }),
    'cluster-objects': Flags.boolean({summary: CLUSTER_OBJECTS}),
    topology: Flags.option({
      summary:
        'The processes of the operator. one: a single process. per-service: one process that plans, one for each --service, and one for all other releases. per-component: also one for each --isolate. Immutable.',
      options: SHAPES,
      default: 'one',
      aliases: ['shape'],
    })(),
    service: repeated(
      'CHART',
      'A chart whose releases get a dedicated process; may be repeated. One process handles all others.',
    ),
    isolate: repeated(
      'RELEASE',
      'A release, or a section of several releases, that gets a dedicated process; may be repeated.',
    ),
    environment: {
      ...environmentFlags.environment,
      summary:
        'An environment file: each service in it gets a dedicated process and, with per-component, each component of services that consist of several releases.',
    },
    crds: Flags.boolean({
      summary: 'Install only the CRDs of the operator, if its Helm chart installs the rest.',
      aliases: ['kinds'],
      exclusive: [
        ...['image', 'namespace', 'removal', 'node-operations', 'cluster-objects', 'chart'],
        ...['topology', 'service', 'isolate', 'environment', 'account'],
      ],
    }),
    account: Flags.boolean({
      summary:
        'Install only a ServiceAccount with its roles, in a cluster to which the operator of another one deploys.',
      exclusive: ['image', 'chart', 'topology', 'service', 'isolate', 'environment'],
    }),
    chart: Flags.string({
      summary: 'Write a Helm chart to this directory instead, and change nothing.',
      helpValue: 'DIR',
      exclusive: ['dry-run'],
    }),
    yes: changeFlags.yes,
    'dry-run': changeFlags['dry-run'],
    ...clusterFlags,
    ...helmFlags,
  }

  override async run(): Promise<void> {
    const flags = await withServices((await this.parse(OperatorInstall)).flags)
    const part = selectPart(flags)
    if (part) return await this.install(flags, part)
    const options = parseOptions(flags)
    const root = await builtInFiles(process.env)
    if (flags.chart !== undefined) return await this.writeChart(flags.chart, root, options)
    await withChart(root, options, async (call) => {
      const helm = await openUsersHelm(flags)
      const objects = await operatorObjects(options, {helm, call})
      await this.install(flags, {what: 'the operator', objects, call})
    })
  }

  private async install(flags: InstallFlags, {what, objects, call}: Installed): Promise<void> {
    if (flags['dry-run']) {
      const list = {apiVersion: 'v1', kind: 'List', items: objects}
      this.console.print(JSON.stringify(list, undefined, 2))
      return await expectSameTopology(objects, flags)
    }
    await using cluster = await openChosenCluster(flags, undefined)
    if (!flags.yes && canAsk()) await confirm(`install ${what} on ${cluster.context}?`)
    const chart = call && {call, helm: await openUsersHelm(flags, cluster)}
    const newer = await installOperator(objects, cluster, chart)
    if (newer.length > 0) this.console.say(`not changed, because a newer kk wrote it: ${newer.join(', ')}`)
    this.console.say(
      `installed ${what} on ${cluster.context}; to see its status: ${operatorCommand('status', flags)}`,
    )
  }

  private async writeChart(directory: string, root: string, options: InstallOptions): Promise<void> {
    await writeChart(directory, root, options)
    this.console.say(
      `wrote the chart ${directory}; apply its CRDs with kk operator install --crds, then install it with: helm install kk-operator ${directory} --namespace kk-system`,
    )
  }
}

type InstallFlags = ClusterFlags & HelmFlags & {readonly yes: boolean; readonly 'dry-run': boolean}

/** What to install: the objects themselves or, if `call` is set, the objects of the chart through helm. */
interface Installed {
  readonly what: string
  readonly objects: readonly KubernetesObject[]
  readonly call?: ReleaseCall
}

/** Throws `KK_SHAPE` like the installation, if a cluster is named; output for Git needs no cluster. */
async function expectSameTopology(objects: readonly KubernetesObject[], flags: ClusterFlags): Promise<void> {
  if (!namesCluster(flags)) return
  await using cluster = await openChosenCluster(flags, undefined)
  await expectShape(objects, cluster.objects)
}

type OperatorFlags = FlagValues<typeof OperatorInstall.flags>

/** Adds the services of the environment file to those of the flags. */
async function withServices(flags: OperatorFlags): Promise<OperatorFlags> {
  const {environment, topology, service = [], isolate = []} = flags
  if (environment === undefined) return flags
  if (topology === 'one')
    throw new KkError('KK_USAGE', '--environment requires --topology per-service or per-component')
  const {prepared} = await openGraph({environment}, [])
  const {charts, components} = listShards(prepared.releases.values())
  const isolated = topology === 'per-component' ? {isolate: [...isolate, ...components]} : {}
  return {...flags, service: [...service, ...charts], ...isolated}
}

/**
 * Returns the part of the operator to install; undefined for all of it. Throws `KK_USAGE` if a flag is
 * missing.
 */
function selectPart(flags: OperatorFlags): Installed | undefined {
  if (flags.crds) return {what: 'the CRDs of the operator', objects: crdObjects(VERSION)}
  if (!flags.account) return undefined
  return {what: 'the account of the operator', objects: siteObjects(parseOptions({...flags, image: ''}))}
}

/** Throws `KK_USAGE` if a flag is missing, invalid, or not supported by the topology. */
function parseOptions({image, namespace = [], removal = false, ...flags}: OperatorFlags): InstallOptions {
  namespace.forEach(expectReleaseNamespace)
  if (!flags.account) expectImage(image)
  if (image !== undefined && namespace.length > 0)
    return {
      version: VERSION,
      image,
      namespaces: [...new Set(namespace)],
      removes: removal,
      changesNodes: flags['node-operations'],
      makesOfCluster: flags['cluster-objects'] ?? false,
      shape: parseTopology(flags),
    }
  throw new KkError('KK_USAGE', `expected ${image === undefined ? '--image' : '--namespace'}`, {
    hint: 'for example: kk operator install --image registry.example.org/kk:1 --namespace openstack',
  })
}

/**
 * Throws `KK_USAGE` for a namespace that releases cannot use, such as `kk-system`, where the operator has
 * other permissions.
 */
function expectReleaseNamespace(name: string): void {
  const {apiVersion, kind} = NAMESPACES
  const problem =
    name === KK_NAMESPACE
      ? `${KK_NAMESPACE} is the namespace of the operator itself; it deploys to other namespaces`
      : nameProblem({apiVersion, kind, metadata: {name}})
  if (problem !== undefined) throw new KkError('KK_USAGE', `--namespace ${name}: ${problem}`)
}

type TopologyFlags = Pick<OperatorFlags, 'topology' | 'service' | 'isolate'>

function parseTopology(flags: TopologyFlags): Shape {
  const {topology, service = [], isolate = []} = flags
  const problem = topologyProblem({topology, service, isolate})
  if (problem === undefined) return {shape: topology, shards: [...new Set([...service, ...isolate])]}
  throw new KkError('KK_USAGE', problem, {
    hint: 'for example: kk operator install --topology per-service --service keystone --service nova …',
  })
}

/** A valid shard name: a part of the name of a Deployment. */
const SHARD_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/

function topologyProblem({topology, service = [], isolate = []}: TopologyFlags): string | undefined {
  const all = [...service, ...isolate]
  const invalid = all.find((each) => !SHARD_NAME.test(each) || each === OTHERS)
  if (invalid !== undefined) return `${invalid} cannot have a dedicated process`
  if (topology === 'one' && all.length > 0) return 'the topology one does not support --service and --isolate'
  if (topology === 'per-service' && isolate.length > 0) return '--isolate requires the topology per-component'
  if (topology !== 'one' && all.length === 0)
    return `the topology ${topology} requires ${topology === 'per-service' ? '--service' : '--service, --isolate'} or --environment`
  return undefined
}
