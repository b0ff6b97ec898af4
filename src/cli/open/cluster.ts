import type {Cluster} from '../../cluster/cluster.ts'
import type {Environment} from '../../environment/environment.ts'
import {KkError} from '../../errors.ts'
import {findHelm} from '../../helm/find.ts'
import type {Helm} from '../../helm/helm.ts'
import {openHelm} from '../../helm/open.ts'
import {helmVersion} from '../../helm/version.ts'
import {childEnvironment} from '../../sandbox/child-environment.ts'
import {DEFAULT_SANDBOX, type Sandbox, sandboxContext} from '../../sandbox/sandbox.ts'
import {findTool} from '../../sandbox/tools.ts'

export interface ClusterFlags {
  readonly sandbox?: boolean | undefined
  readonly 'sandbox-name'?: string | undefined
  readonly kubeconfig?: string | undefined
  readonly context?: string | undefined
}

/** Whether the command line itself names a cluster. */
export function namesCluster(flags: ClusterFlags): boolean {
  return (
    flags.sandbox === true ||
    [flags['sandbox-name'], flags.kubeconfig, flags.context].some((flag) => flag !== undefined)
  )
}

interface Access {
  readonly kubeconfig?: string
  readonly context?: string
}

/**
 * Which cluster: the sandbox, `--kubeconfig` and `--context`, `KK_CONTEXT`, `kk.context`, else the kubeconfig's current
 * context. Throws `KK_WRONG_CONTEXT` when the environment belongs to another context than the one that was named, and
 * `KK_SANDBOX` when the sandbox does not run and is not to be started.
 */
export async function chooseCluster(
  flags: ClusterFlags,
  environment: Environment | undefined,
  {start, say}: {readonly start: boolean; readonly say: (line: string) => void},
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
    return sandboxAccess(name, start, say)
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

async function sandboxAccess(name: string, start: boolean, say: (line: string) => void): Promise<Access> {
  const {findSandbox, requireSandbox} = await import('../../sandbox/running.ts')
  const {sandboxPaths} = await import('../../sandbox/paths.ts')
  const found = start ? await findSandbox(sandboxPaths(name, process.env)) : undefined
  const sandbox = found
    ? found.state === 'running'
      ? found.sandbox
      : await startSandbox(name, say)
    : await requireSandbox(name, process.env)
  return {kubeconfig: sandbox.kubeconfig, context: sandbox.context}
}

/** Imported on use: what starts a sandbox costs 15 ms, and mostly it runs already. */
async function startSandbox(name: string, say: (line: string) => void): Promise<Sandbox> {
  const {ensureSandbox} = await import('../../sandbox/up.ts')
  return ensureSandbox({name, nodes: 3, env: process.env, onProgress: say})
}

/** The cluster that the flags and the environment mean; imported on use, for it costs what many commands need not pay. */
export async function openChosenCluster(
  flags: ClusterFlags,
  environment: Environment | undefined,
  options: {readonly start: boolean; readonly say: (line: string) => void},
): Promise<Cluster> {
  const access = await chooseCluster(flags, environment, options)
  const {openCluster} = await import('../../cluster/open.ts')
  return openCluster({...access, env: process.env, readiness: environment?.readiness})
}

/** The user's helm, or the toolbox's in a sandbox. On `cluster` when one is given; otherwise it can only render. */
export async function openUsersHelm(
  flags: ClusterFlags & {readonly helm?: string | undefined},
  cluster?: Cluster,
): Promise<Helm> {
  const path = helmPath(flags.helm)
  const kubeconfig = cluster?.kubeconfig
  const isSandbox = flags.sandbox || flags['sandbox-name'] !== undefined
  return openHelm({
    path,
    version: await helmVersion(path, process.env),
    env: isSandbox && kubeconfig !== undefined ? childEnvironment(kubeconfig, process.env) : process.env,
    ...(kubeconfig !== undefined && {kubeconfig}),
    ...(cluster && {context: cluster.context}),
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

/** A cluster that is opened when it is first asked for, and only once. */
export interface LazyCluster {
  readonly open: () => Promise<Cluster>
  /** Closes it if it was opened; never rejects because opening it failed. */
  readonly close: () => Promise<void>
}

export function lazyCluster(
  flags: ClusterFlags,
  environment: Environment | undefined,
  options: Parameters<typeof openChosenCluster>[2],
): LazyCluster {
  let opened: Promise<Cluster> | undefined
  return {
    open() {
      opened ??= openChosenCluster(flags, environment, options)
      return opened
    },
    async close() {
      await (await opened?.catch(() => undefined))?.close()
    },
  }
}
