import type {Environment} from '../../environment/environment.ts'
import {KkError} from '../../errors.ts'
import {DEFAULT_SANDBOX, type Sandbox, sandboxContext} from '../../sandbox/sandbox.ts'

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
