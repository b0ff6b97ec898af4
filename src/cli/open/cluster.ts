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

/** Returns true when the command line itself names a cluster. */
export function namesCluster(flags: ClusterFlags): boolean {
  return (
    flags.sandbox === true ||
    [flags['sandbox-name'], flags.kubeconfig, flags.context].some((flag) => flag !== undefined)
  )
}

/** Told, line by line, how a sandbox is started that does not run; where it is left out, none is started. */
type OnStart = (line: string) => void

interface Access {
  readonly kubeconfig?: string
  readonly context?: string
}

/**
 * Which cluster: the sandbox, `--kubeconfig` and `--context`, `KK_CONTEXT`, `kk.context`, else the kubeconfig's current
 * context. Throws `KK_WRONG_CONTEXT` when the environment belongs to another context than the one that was named, and
 * `KK_SANDBOX` when the sandbox does not run and is not to be started, for which `onStart` is given.
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
        `${environment!.file} belongs to the context ${own}, but the sandbox was named, whose context is ${sandboxContext(name)}`,
        {
          hint: `leave --sandbox out; to try the environment in a sandbox, use a copy of the file without kk.context`,
        },
      )
    }
    return sandboxAccess(name, onStart)
  }
  const named = flags.context ?? (process.env.KK_CONTEXT || undefined)
  if (named !== undefined && own !== undefined && named !== own) {
    throw new KkError(
      'KK_WRONG_CONTEXT',
      `${environment!.file} belongs to the context ${own}, but ${named} was named`,
      {
        hint: 'change kk.context in the file, or leave out --context and KK_CONTEXT',
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
  const found = await findSandbox(sandboxPaths(name, process.env))
  if (found.state === 'running') return found.sandbox
  // Imported on use: what starts a sandbox costs 15 ms, and mostly it runs already.
  const {ensureSandbox} = await import('../../sandbox/up.ts')
  return ensureSandbox({name, nodes: 3, env: process.env, onProgress: onStart})
}

/** A cluster for `await using`: it is closed where its scope ends. */
export type OpenedCluster = Cluster & AsyncDisposable

/** Opens the cluster that the flags and the environment mean. Rejects as `chooseCluster` does. */
export async function openChosenCluster(
  flags: ClusterFlags,
  environment: Environment | undefined,
  onStart?: OnStart,
): Promise<OpenedCluster> {
  const access = await chooseCluster(flags, environment, onStart)
  // Imported on use, for it costs what many commands need not pay.
  const {openCluster} = await import('../../kubernetes/open.ts')
  const cluster = await openCluster({...access, env: process.env, readiness: environment?.readiness})
  return {...cluster, [Symbol.asyncDispose]: () => cluster.close()}
}

/** The user's helm, or the toolbox's in a sandbox. On `cluster` when one is given; otherwise it can only render. */
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
  const ours = findTool('helm4', process.env)
  return findHelm({
    ...(flag !== undefined && {flag}),
    env: process.env,
    candidates: ours === undefined ? [] : [ours],
  })
}

/** A cluster that is opened when it is first asked for, and only once; it is closed if it was opened. */
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
