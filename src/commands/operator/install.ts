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
import {operatorCommand} from '../../cli/run/same-again.ts'
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
  static override summary = 'Install the operator in the cluster, or bring it up to date.'
  static override description =
    'Applies its kinds, and has helm install its chart, with its roles and its Deployment, as the release kk-operator in kk-system. It may deploy in the namespaces that are named, and nowhere else. With --dry-run the objects are printed as JSON, for kubectl apply or for Git; nothing is changed, and a cluster that is named is asked whether the operator is there in another shape. With --chart a Helm chart of the same is written instead, without the kinds, which --kinds applies. With --account there is nothing but a ServiceAccount with its roles, for a kubeconfig by which the operator of another cluster deploys here.'
  static override examples = [
    'kk operator install --image registry.example.org/kk:1 --namespace openstack --sandbox --dry-run',
    'A Helm chart of the operator; kk charts package and publish take it.\nkk operator install --image registry.example.org/kk:1 --namespace openstack --chart operator-chart',
    'kk operator install --kinds --sandbox --dry-run',
  ]
  static override flags = {
    image: Flags.string({summary: 'The image of kk, which has helm in it.', helpValue: 'IMAGE'}),
    namespace: repeated('NAME', 'A namespace in which it may deploy; may be repeated.'),
    removal: Flags.boolean({
      summary:
        'Let it remove what an approved plan says; for that it may read the Secrets of all namespaces.',
    }),
    'cluster-objects': Flags.boolean({summary: CLUSTER_OBJECTS}),
    shape: Flags.option({
      summary:
        'Which processes it consists of: one that does all; or one that plans, and per-service one for each service; or per-component also one for each release of --isolate. Chosen for good.',
      options: SHAPES,
      default: 'one',
    })(),
    service: repeated(
      'CHART',
      'A chart whose releases have a process of their own; may be repeated. One process does all others.',
    ),
    isolate: repeated(
      'RELEASE',
      'A release, or a section that is several releases, that has a process of its own; may be repeated.',
    ),
    environment: {
      ...environmentFlags.environment,
      summary:
        'An environment file: each service in it has a process of its own and, with per-component, each component of those that are several releases.',
    },
    kinds: Flags.boolean({
      summary: 'Only its kinds: for whom the rest comes by the chart.',
      exclusive: [
        ...['image', 'namespace', 'removal', 'cluster-objects', 'chart'],
        ...['shape', 'service', 'isolate', 'environment', 'account'],
      ],
    }),
    account: Flags.boolean({
      summary: 'Only an account with its rights: in a cluster that the operator of another one deploys to.',
      exclusive: ['image', 'chart', 'shape', 'service', 'isolate', 'environment'],
    }),
    chart: Flags.string({
      summary: 'Write a Helm chart into this directory instead, and change nothing.',
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
    const part = partOf(flags)
    if (part) return await this.install(flags, part)
    const options = optionsOf(flags)
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
      return await refuseShape(objects, flags)
    }
    await using cluster = await openChosenCluster(flags, undefined)
    if (!flags.yes && canAsk()) await confirm(`install ${what} on ${cluster.context}?`)
    const charted = call && {call, helm: await openUsersHelm(flags, cluster)}
    const newer = await installOperator(objects, cluster, charted)
    if (newer.length > 0) this.console.say(`left as a newer kk has written it: ${newer.join(', ')}`)
    this.console.say(
      `installed ${what} on ${cluster.context}; to see what it does: ${operatorCommand('status', flags)}`,
    )
  }

  private async writeChart(directory: string, root: string, options: InstallOptions): Promise<void> {
    await writeChart(directory, root, options)
    this.console.say(
      `wrote the chart ${directory}; its kinds are applied with kk operator install --kinds, and it is installed with: helm install kk-operator ${directory} --namespace kk-system`,
    )
  }
}

type InstallFlags = ClusterFlags & HelmFlags & {readonly yes: boolean; readonly 'dry-run': boolean}

/** What is installed: the objects as they are or, where helm has its release to call, those of the chart by helm. */
interface Installed {
  readonly what: string
  readonly objects: readonly KubernetesObject[]
  readonly call?: ReleaseCall
}

/** Throws `KK_SHAPE` as the installation does, where a cluster is named; what goes to Git needs none. */
async function refuseShape(made: readonly KubernetesObject[], flags: ClusterFlags): Promise<void> {
  if (!namesCluster(flags)) return
  await using cluster = await openChosenCluster(flags, undefined)
  await expectShape(made, cluster.objects)
}

type OperatorFlags = FlagValues<typeof OperatorInstall.flags>

/** Returns the flags with the services of the environment file added to those that are named. */
async function withServices(flags: OperatorFlags): Promise<OperatorFlags> {
  const {environment, shape, service = [], isolate = []} = flags
  if (environment === undefined) return flags
  if (shape === 'one')
    throw new KkError('KK_USAGE', '--environment needs --shape per-service or per-component')
  const {prepared} = await openGraph({environment}, [])
  const {charts, components} = listShards(prepared.releases.values())
  const more = shape === 'per-component' ? {isolate: [...isolate, ...components]} : {}
  return {...flags, service: [...service, ...charts], ...more}
}

/** Returns the part of the operator that is asked for; undefined for all of it. Throws `KK_USAGE` where a flag is missing. */
function partOf(flags: OperatorFlags): Installed | undefined {
  if (flags.kinds) return {what: 'the kinds of the operator', objects: crdObjects(VERSION)}
  if (!flags.account) return undefined
  return {what: 'the account of the operator', objects: siteObjects(optionsOf({...flags, image: ''}))}
}

/** Throws `KK_USAGE` where a flag is missing, cannot be meant, or does not go with the shape. */
function optionsOf({image, namespace = [], removal = false, ...flags}: OperatorFlags): InstallOptions {
  namespace.forEach(expectOfReleases)
  if (!flags.account) expectImage(image)
  if (image !== undefined && namespace.length > 0)
    return {
      version: VERSION,
      image,
      namespaces: [...new Set(namespace)],
      removes: removal,
      makesOfCluster: flags['cluster-objects'] ?? false,
      shape: shapeOf(flags),
    }
  throw new KkError('KK_USAGE', `expected ${image === undefined ? '--image' : '--namespace'}`, {
    hint: 'for example: kk operator install --image registry.example.org/kk:1 --namespace openstack',
  })
}

/** Throws `KK_USAGE` for a namespace that cannot be one of releases: the rights there are others in `kk-system`. */
function expectOfReleases(name: string): void {
  const {apiVersion, kind} = NAMESPACES
  const problem =
    name === KK_NAMESPACE
      ? `${KK_NAMESPACE} is the namespace of the operator itself, and it deploys in others`
      : nameProblem({apiVersion, kind, metadata: {name}})
  if (problem !== undefined) throw new KkError('KK_USAGE', `--namespace ${name}: ${problem}`)
}

type ShapeFlags = Pick<OperatorFlags, 'shape' | 'service' | 'isolate'>

function shapeOf(flags: ShapeFlags): Shape {
  const {shape, service = [], isolate = []} = flags
  const problem = shapeProblem({shape, service, isolate})
  if (problem === undefined) return {shape, shards: [...new Set([...service, ...isolate])]}
  throw new KkError('KK_USAGE', problem, {
    hint: 'for example: kk operator install --shape per-service --service keystone --service nova …',
  })
}

/** A Deployment is named for it. */
const SHARD = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/

function shapeProblem({shape, service = [], isolate = []}: ShapeFlags): string | undefined {
  const all = [...service, ...isolate]
  const wrong = all.find((each) => !SHARD.test(each) || each === OTHERS)
  if (wrong !== undefined) return `${wrong} cannot have a process of its own`
  if (shape === 'one' && all.length > 0) return '--service and --isolate do not go with the shape one'
  if (shape === 'per-service' && isolate.length > 0) return '--isolate goes with the shape per-component only'
  if (shape !== 'one' && all.length === 0)
    return `the shape ${shape} needs ${shape === 'per-service' ? '--service' : '--service, --isolate'} or --environment`
  return undefined
}
