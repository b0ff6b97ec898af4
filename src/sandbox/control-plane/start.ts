import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {KkError} from '../../errors.ts'
import {makeDirectory} from '../../state/files/make-directory.ts'
import {CLUSTER, type SandboxPaths} from '../paths.ts'
import {writeRecord} from '../record.ts'
import type {Sandbox} from '../sandbox.ts'
import type {Tools} from '../tools.ts'
import {COMPONENTS, runningComponents} from './components.ts'
import {AUDIT_POLICY, kwokConfiguration} from './configuration.ts'
import {writeKubeconfig} from './kubeconfig.ts'
import {kubectl} from './kubectl.ts'
import {firstObjects} from './objects.ts'
import {choosePorts, type Ports} from './ports.ts'
import {processMark} from './processes.ts'

/** In the format of container runtimes, which kubelets, and kwok, read. */
const CONTAINER_LOG =
  '2026-01-01T00:00:00.000000000Z stdout F this container is simulated: nothing runs in it\n'

interface StartOptions {
  readonly paths: SandboxPaths
  readonly tools: Tools
  readonly nodes: number
  readonly env: NodeJS.ProcessEnv
  readonly onProgress: (line: string) => void
  readonly signal?: AbortSignal | undefined
}

/** Starts all of a sandbox where nothing of it is left, and waits until its nodes are Ready. */
export async function startControlPlane(options: StartOptions): Promise<Sandbox> {
  const {paths, tools, nodes, env, onProgress, signal} = options
  if (process.platform !== 'linux') throw unsupported()
  await makeDirectory(paths.home, {mode: 0o700})
  const ports = await choosePorts(paths)
  await writeInputs(options, ports)

  onProgress('starting etcd, API server, controllers, scheduler and kwok')
  await createCluster(options)
  const server = `https://127.0.0.1:${ports.kubeApiserverPort}`
  const context = await writeKubeconfig(paths, server)

  onProgress(`adding ${nodes} node${nodes === 1 ? '' : 's'} and storage`)
  const target = {binary: tools.kubectl, kubeconfig: paths.kubeconfig, env}
  const input = JSON.stringify(firstObjects(nodes))
  await kubectl(target, ['create', '--validate=ignore', '--filename', '-'], {input, signal})
  const [version] = await Promise.all([
    kubectl(target, ['get', '--raw', '/version'], {signal}),
    kubectl(target, ['wait', '--for=condition=Ready', 'nodes', '--all', '--timeout=60s'], {signal}),
  ])

  const {gitVersion} = JSON.parse(version) as {gitVersion: string}
  const {name, kubeconfig, auditLog} = paths
  const sandbox = {name, kubeconfig, context, server, kubernetes: gitVersion, nodes, auditLog}
  await writeRecord(paths, sandbox)
  return sandbox
}

async function writeInputs({paths, tools}: StartOptions, ports: Ports): Promise<void> {
  const documents = kwokConfiguration({paths, tools, ports}).map((document) => JSON.stringify(document))
  await Promise.all([
    writeFile(paths.configuration, documents.join('\n---\n')),
    writeFile(paths.auditPolicy, JSON.stringify(AUDIT_POLICY)),
    writeFile(paths.containerLog, CONTAINER_LOG),
  ])
}

/** kwokctl makes the certificates, starts the components detached from itself, and waits until they answer. */
async function createCluster({paths, tools, env, signal}: StartOptions): Promise<void> {
  const args = ['--config', paths.configuration, 'create', 'cluster', '--name', CLUSTER]
  const result = await execa(tools.kwokctl, [...args, '--kubeconfig', '', '--wait', '60s'], {
    cwd: paths.home,
    // HOME, because kwokctl and the kubectl inside it would otherwise use the user's.
    env: {HOME: paths.home, KWOK_WORKDIR: paths.kwok, PATH: env.PATH, ...processMark(paths.home)},
    extendEnv: false,
    stdin: 'ignore',
    cancelSignal: signal,
    killDescendants: true,
    reject: false,
  })
  if (result.isCanceled) throw signal?.reason
  const {missing} = await runningComponents(paths)
  if (!result.failed && missing.length === 0) return
  throw new KkError('KK_SANDBOX', `the control plane of the sandbox ${paths.name} did not start`, {
    log: await lastLines(paths, missing.length > 0 ? missing : COMPONENTS, result.stderr),
    hint: 'everything that was started has been removed; try again, or with another --sandbox-name',
    cause: result,
  })
}

async function lastLines(
  paths: SandboxPaths,
  components: readonly string[],
  said: string,
): Promise<string[]> {
  const logs = components.map(async (name) => {
    const text = await readFile(join(paths.cluster, 'logs', `${name}.log`), 'utf8').catch(() => '')
    return tail(text, 3).map((line) => `${name}: ${line}`)
  })
  return [...tail(said, 3), ...(await Promise.all(logs)).flat()]
}

function tail(text: string, lines: number): string[] {
  return text.trimEnd().split('\n').slice(-lines)
}

function unsupported(): KkError {
  return new KkError('KK_SANDBOX', `a sandbox needs Linux, and this is ${process.platform}`, {
    hint: 'use a cluster of your own with --kubeconfig and --context',
  })
}
