import {readFile, rm, writeFile} from 'node:fs/promises'
import {basename, join} from 'node:path'
import {execa} from 'execa'
import {KkError} from '../../base/errors.ts'
import {makeDirectory} from '../../state/files/make-directory.ts'
import {writeAtomically} from '../../state/files/write-atomically.ts'
import type {Tools} from '../../state/tools.ts'
import {CLUSTER, type SandboxPaths} from '../paths.ts'
import {markUnfinished} from '../record.ts'
import {commandOf, sandboxContext} from '../sandbox.ts'
import {nodeStages} from '../stages/node.ts'
import {podStages, startsUnchecked} from '../stages/pod.ts'
import {volumeStages} from '../stages/volume.ts'
import {runningComponents} from './components.ts'
import {choosePorts, type Ports} from './ports.ts'
import {processMark} from './processes.ts'
import {tail} from './tail.ts'

/** The log of simulated containers, in the format of container runtimes, which kubelets and kwok read. */
const CONTAINER_LOG =
  '2026-01-01T00:00:00.000000000Z stdout F this container is simulated: nothing runs in it\n'

export interface CreateOptions {
  readonly paths: SandboxPaths
  readonly tools: Tools
  readonly env: NodeJS.ProcessEnv
  readonly signal?: AbortSignal | undefined
}

export interface ControlPlane {
  /** The API server's address, on loopback. */
  readonly server: string
  readonly context: string
  readonly ports: Ports
}

/**
 * Starts etcd, the API server, controllers and scheduler of a control plane that does not exist, and waits
 * until they respond.
 */
export async function createControlPlane(
  options: CreateOptions,
  behaviour: Behaviour,
): Promise<ControlPlane> {
  const {paths} = options
  if (process.platform !== 'linux') throw unsupported()
  await makeDirectory(paths.home, {mode: 0o700})
  await markUnfinished(paths)
  const ports = await choosePorts(paths)
  await writeInputs(options, ports, behaviour)

  await createCluster(options)
  const server = `https://127.0.0.1:${ports.kubeApiserverPort}`
  return {server, context: await writeKubeconfig(paths, server), ports}
}

async function writeInputs({paths, tools}: CreateOptions, ports: Ports, behaviour: Behaviour): Promise<void> {
  const documents = kwokConfiguration({paths, tools, ports, behaviour})
  await Promise.all([
    writeFile(paths.configuration, documents.map((document) => JSON.stringify(document)).join('\n---\n')),
    writeFile(paths.auditPolicy, JSON.stringify(AUDIT_POLICY)),
    writeFile(paths.containerLog, CONTAINER_LOG),
  ])
}

/**
 * Creates the cluster with kwokctl: certificates, and components that outlive it; waits until they respond.
 */
async function createCluster(options: CreateOptions): Promise<void> {
  const {paths} = options
  const args = ['--config', paths.configuration, 'create', 'cluster', '--name', CLUSTER, '--kubeconfig', '']
  const hint = `everything that was started has been removed; retry "${commandOf(paths.name)} up"`
  const {failed, missing} = await kwokctl(options, args)
  // The controllers exit if the API server is not healthy ten seconds after their start, which happens on a
  // busy machine.
  if (!failed && missing.length > 0) return startComponents(options, missing, hint)
  if (failed) throw await notStarted(options, {failed, missing}, hint)
}

/** Restarts components that have exited, with their existing data, and waits until all respond. */
export async function startComponents(
  options: CreateOptions,
  exited: readonly string[],
  hint = `nothing was removed; "${commandOf(options.paths.name)} down" removes it with everything deployed in it`,
): Promise<void> {
  // Another process may have reused the id of an exited component, and kwokctl would take it for the
  // component.
  await Promise.all(exited.map((name) => rm(options.paths.components[name]!, {force: true})))
  const args = ['start', 'cluster', '--name', CLUSTER, '--timeout', '60s']
  const {failed, missing} = await kwokctl(options, args)
  if (failed || missing.length > 0) throw await notStarted(options, {failed, missing}, hint)
}

interface KwokctlResult {
  /** The error of kwokctl if it failed. */
  readonly failed: (Error & {readonly stderr: string}) | undefined
  /** The components that are not running. */
  readonly missing: readonly string[]
}

async function kwokctl(
  {paths, tools, env, signal}: CreateOptions,
  args: readonly string[],
): Promise<KwokctlResult> {
  const result = await execa(tools.kwokctl, [...args, '--wait', '60s'], {
    cwd: paths.home,
    // HOME is set because kwokctl and the kubectl inside it would otherwise use the user's.
    env: {
      HOME: paths.home,
      KWOK_WORKDIR: paths.kwok,
      PATH: env.PATH,
      // A setting of Go: higher values trade memory for CPU time in everything that is started here.
      ...(env.GOGC && {GOGC: env.GOGC}),
      ...processMark(paths.home),
    },
    extendEnv: false,
    stdin: 'ignore',
    cancelSignal: signal,
    killDescendants: true,
    reject: false,
  })
  if (result.isCanceled) throw signal?.reason
  const {missing} = await runningComponents(paths, paths.controlPlane)
  return {failed: result instanceof Error ? result : undefined, missing}
}

async function notStarted(
  {paths}: CreateOptions,
  {failed, missing}: KwokctlResult,
  hint: string,
): Promise<KkError> {
  const components = missing.length > 0 ? missing : Object.keys(paths.controlPlane)
  return new KkError('KK_SANDBOX', `the control plane of ${paths.name} did not start`, {
    log: await lastLines(paths, components, failed?.stderr ?? ''),
    hint,
    cause: failed,
  })
}

async function lastLines(
  paths: SandboxPaths,
  components: readonly string[],
  stderr: string,
): Promise<string[]> {
  const logs = components.map(async (name) => {
    const text = await readFile(join(paths.cluster, 'logs', `${name}.log`), 'utf8').catch(() => '')
    return tail(text, 3).map((line) => `${name}: ${line}`)
  })
  return [...tail(stderr, 3), ...(await Promise.all(logs)).flat()]
}

function unsupported(): KkError {
  return new KkError('KK_SANDBOX', `a sandbox needs Linux, and this is ${process.platform}`, {
    hint: 'use your own cluster with --kubeconfig and --context',
  })
}

/** Writes a self-contained kubeconfig with kwokctl's certificates; returns the name of its only context. */
async function writeKubeconfig(paths: SandboxPaths, server: string): Promise<string> {
  const pki = (file: string) => readFile(join(paths.cluster, 'pki', file), 'base64')
  const [ca, certificate, key] = await Promise.all([pki('ca.crt'), pki('admin.crt'), pki('admin.key')])
  const name = sandboxContext(paths.name)
  const kubeconfig = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{name, cluster: {server, 'certificate-authority-data': ca}}],
    users: [{name, user: {'client-certificate-data': certificate, 'client-key-data': key}}],
    contexts: [{name, context: {cluster: name, user: name}}],
  }
  await writeAtomically(paths.kubeconfig, `${JSON.stringify(kubeconfig, undefined, 2)}\n`, {mode: 0o600})
  return name
}

/** A node with its own kubelet, at an address that pods reach. */
interface RealNode {
  readonly address: string
  /** The CIDR of Service addresses. */
  readonly services: string
  /** The first address of that range, at which pods reach the API server. */
  readonly apiService: string
  /** The seconds after which a node that does not report is not Ready; undefined: kwokctl's 200. */
  readonly nodeGrace?: number | undefined
}

/** How nodes and pods behave: simulated by kwok, or real. */
export type Behaviour = 'simulated' | RealNode

interface ConfigurationOptions {
  readonly paths: SandboxPaths
  readonly tools: Tools
  readonly ports: Ports
  readonly behaviour: Behaviour
}

interface Argument {
  readonly key: string
  readonly value: string
}

/**
 * Returns the documents of kwokctl's configuration: the cluster, and the stages of nodes, pods and volumes.
 */
function kwokConfiguration(options: ConfigurationOptions): readonly object[] {
  const {paths, tools, behaviour} = options
  if (behaviour !== 'simulated') {
    const real = {
      disable: ['kwok-controller'],
      kubeApiserverCertSANs: [behaviour.address, behaviour.apiService],
    }
    return [clusterDocument(options, real, realArguments(paths, behaviour), graceArguments(behaviour))]
  }
  return [
    clusterDocument(options, {}, [{key: 'kubelet-preferred-address-types', value: 'Hostname'}]),
    ...nodeStages,
    ...podStages,
    ...(basename(tools['kwok-kubelet']) === 'kwok-kubelet' ? [] : [startsUnchecked]),
    ...volumeStages,
    {
      apiVersion: 'kwok.x-k8s.io/v1alpha1',
      kind: 'ClusterLogs',
      metadata: {name: 'all'},
      spec: {logs: [{logsFile: paths.containerLog, previousLogsFile: paths.containerLog}]},
    },
  ]
}

/**
 * Returns the arguments of an API server with a real node: it authenticates to the kubelet with a
 * certificate, and advertises an address to pods that is not the loopback address that it listens on.
 */
function realArguments(paths: SandboxPaths, {address, services}: RealNode): readonly Argument[] {
  return [
    {key: 'advertise-address', value: address},
    {key: 'service-cluster-ip-range', value: services},
    {key: 'kubelet-preferred-address-types', value: 'InternalIP'},
    {key: 'kubelet-client-certificate', value: join(paths.cluster, 'pki/admin.crt')},
    {key: 'kubelet-client-key', value: join(paths.cluster, 'pki/admin.key')},
  ]
}

function graceArguments({nodeGrace}: RealNode): readonly Argument[] {
  if (nodeGrace === undefined) return []
  return [
    {key: 'node-monitor-grace-period', value: `${nodeGrace}s`},
    {key: 'node-monitor-period', value: '2s'},
  ]
}

function clusterDocument(
  {paths, tools, ports}: ConfigurationOptions,
  more: object,
  apiServer: readonly Argument[],
  controllers: readonly Argument[] = [],
): object {
  return {
    apiVersion: 'config.kwok.x-k8s.io/v1alpha1',
    kind: 'KwokctlConfiguration',
    metadata: {name: CLUSTER},
    options: {
      runtime: 'binary',
      bindAddress: '127.0.0.1',
      kubeAuditPolicy: paths.auditPolicy,
      etcdBinary: tools.etcd,
      kubeApiserverBinary: tools['kube-apiserver'],
      kubeControllerManagerBinary: tools['kube-controller-manager'],
      kubeSchedulerBinary: tools['kube-scheduler'],
      kubectlBinary: tools.kubectl,
      kwokControllerBinary: tools['kwok-kubelet'],
      ...ports,
      ...more,
    },
    componentsPatches: [
      // The data need not survive a power failure.
      {name: 'etcd', extraArgs: [{key: 'unsafe-no-fsync', value: 'true'}]},
      // Single replicas: one that fails to renew its Lease in time on a busy machine would exit permanently.
      ...['kube-controller-manager', 'kube-scheduler'].map((name) => ({
        name,
        extraArgs: [{key: 'leader-elect', value: 'false'}, ...(name === 'kube-scheduler' ? [] : controllers)],
      })),
      {
        name: 'kube-apiserver',
        extraArgs: [
          ...apiServer,
          {key: 'audit-log-maxsize', value: '200'},
          {key: 'audit-log-maxbackup', value: '1'},
        ],
      },
    ],
  }
}

/**
 * The requests in the audit log: all except watches, lease renewals, and events. Patches of pod status are
 * logged with content, so that a reader sees when a pod became Ready; everything else, Secrets above all,
 * without content.
 */
const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    {level: 'None', verbs: ['watch']},
    {
      level: 'None',
      resources: [{group: 'coordination.k8s.io', resources: ['leases']}],
      namespaces: ['kube-node-lease', 'kube-system'],
    },
    {
      level: 'None',
      resources: [
        {group: '', resources: ['events']},
        {group: 'events.k8s.io', resources: ['events']},
      ],
    },
    {level: 'None', nonResourceURLs: ['/healthz*', '/livez*', '/readyz*']},
    {level: 'Request', resources: [{group: '', resources: ['pods/status']}]},
    {level: 'Metadata'},
  ],
}
