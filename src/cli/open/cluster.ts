import {KkError} from '../../base/errors.ts'
import type {Environment} from '../../environment/environment.ts'
import {findHelm} from '../../helm/find.ts'
import type {Helm} from '../../helm/helm.ts'
import {openHelm} from '../../helm/open.ts'
import {helmVersion} from '../../helm/version.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import {childEnvironment} from '../../sandbox/child-environment.ts'
import {DEFAULT_SANDBOX, type Sandbox, sandboxContext} from '../../sandbox/sandbox.ts'
import {findTool} from '../../state/tools.ts'
import type {ClusterFlags, HelmFlags} from '../flags.ts'

/** Returns true if the command line names a cluster. */
export function namesCluster(flags: ClusterFlags): boolean {
  return (
    flags.sandbox === true ||
    [flags['sandbox-name'], flags.kubeconfig, flags.context].some((flag) => flag !== undefined)
  )
}

/** Receives the progress of starting a sandbox, line by line. If omitted, no sandbox is started. */
type OnStart = (line: string) => void

interface Access {
  readonly kubeconfig?: string
  readonly context?: string
}

/**
 * Selects the cluster: the sandbox, `--kubeconfig` and `--context`, `KK_CONTEXT`, `kk.context`, or else the
 * current context of the kubeconfig. Throws `KK_WRONG_CONTEXT` if the environment belongs to another context
 * than the named one, and `KK_SANDBOX` if the sandbox is not running and `onStart` is omitted.
 */
export async function chooseCluster(
  flags: ClusterFlags,
  environment: Environment | undefined,
  onStart?: OnStart,
): Promise<Access> {
  const own = environment?.context
  if (flags.sandbox || flags['sandbox-name'] !== undefined) {
    const name = flags['sandbox-name'] ?? DEFAULT_SANDBOX
    if (own !== undefined && own !== sandboxContext(name)) {
      throw new KkError(
        'KK_WRONG_CONTEXT',
        `${environment!.file} belongs to the context ${own}, but the sandbox was specified, whose context is ${sandboxContext(name)}`,
        {
          hint: 'omit --sandbox; to try the environment in a sandbox, use a copy of the file without kk.context',
        },
      )
    }
    return sandboxAccess(name, onStart)
  }
  const named = flags.context ?? (process.env.KK_CONTEXT || undefined)
  if (named !== undefined && own !== undefined && named !== own) {
    throw new KkError(
      'KK_WRONG_CONTEXT',
      `${environment!.file} belongs to the context ${own}, but ${named} was specified`,
      {
        hint: 'change kk.context in the file, or omit --context and KK_CONTEXT',
      },
    )
  }
  const context = named ?? own
  return {
    ...(flags.kubeconfig !== undefined && {kubeconfig: flags.kubeconfig}),
    ...(context !== undefined && {context}),
  }
}

async function sandboxAccess(name: string, onStart: OnStart | undefined): Promise<Access> {
  const {requireSandbox} = await import('../../sandbox/running.ts')
  const sandbox = onStart ? await startedSandbox(name, onStart) : await requireSandbox(name, process.env)
  return {kubeconfig: sandbox.kubeconfig, context: sandbox.context}
}

async function startedSandbox(name: string, onStart: OnStart): Promise<Sandbox> {
  const {findSandbox} = await import('../../sandbox/running.ts')
  const {sandboxPaths} = await import('../../sandbox/paths.ts')
  const status = await findSandbox(sandboxPaths(name, process.env))
  if (status.state === 'running') return status.sandbox
  // Imported on use: loading it takes 15 ms, and the sandbox is usually running.
  const {ensureSandbox} = await import('../../sandbox/up.ts')
  return ensureSandbox({name, nodes: 3, env: process.env, onProgress: onStart})
}

/** A cluster for `await using`, which closes it at the end of the scope. */
export type OpenedCluster = Cluster & AsyncDisposable

/** Opens the cluster that the flags and the environment select. Rejects like `chooseCluster`. */
export async function openChosenCluster(
  flags: ClusterFlags,
  environment: Environment | undefined,
  onStart?: OnStart,
): Promise<OpenedCluster> {
  const access = await chooseCluster(flags, environment, onStart)
  // Imported on use, because it is slow to load and many commands need no cluster.
  const {openCluster} = await import('../../kubernetes/open.ts')
  const cluster = await openCluster({...access, env: process.env, readiness: environment?.readiness})
  return {...cluster, [Symbol.asyncDispose]: () => cluster.close()}
}

/**
 * Opens the user's helm, or that of the toolbox in a sandbox. Works on `cluster`; without one, it can only
 * render.
 */
export async function openUsersHelm(flags: ClusterFlags & HelmFlags, cluster?: Cluster): Promise<Helm> {
  const path = helmPath(flags.helm)
  const kubeconfig = cluster?.kubeconfig
  const isSandbox = flags.sandbox || flags['sandbox-name'] !== undefined
  return openHelm({
    path,
    version: await helmVersion(path, process.env),
    env: isSandbox && kubeconfig !== undefined ? childEnvironment(kubeconfig, process.env) : process.env,
    ...(kubeconfig !== undefined && {kubeconfig}),
    ...(cluster?.helmContext !== undefined && {context: cluster.helmContext}),
  })
}

export function helmPath(flag: string | undefined): string {
  const toolboxHelm = findTool('helm4', process.env)
  return findHelm({
    ...(flag !== undefined && {flag}),
    env: process.env,
    candidates: toolboxHelm === undefined ? [] : [toolboxHelm],
  })
}

/** A cluster that is opened on first use, and only once; disposal closes it if it was opened. */
export interface LazyCluster extends AsyncDisposable {
  readonly open: () => Promise<OpenedCluster>
}

export function lazyCluster(
  flags: ClusterFlags,
  environment: Environment | undefined,
  onStart?: OnStart,
): LazyCluster {
  let opened: Promise<OpenedCluster> | undefined
  return {
    open() {
      opened ??= openChosenCluster(flags, environment, onStart)
      return opened
    },
    async [Symbol.asyncDispose]() {
      await (await opened?.catch(() => undefined))?.close()
    },
  }
}
