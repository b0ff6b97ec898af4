import {readdir} from 'node:fs/promises'
import type {NodeList} from 'kubernetes-types/core/v1.js'
import {exists} from '../state/files/exists.ts'
import {findTools} from '../state/tools.ts'
import {requiredComponents, runningComponents} from './control-plane/components.ts'
import {kubectl} from './control-plane/kubectl.ts'
import {isSandboxName, sandboxesDirectory, sandboxPaths} from './paths.ts'
import {readRecord} from './record.ts'
import {lostSandbox} from './running.ts'
import type {Sandbox} from './sandbox.ts'

interface SandboxNode {
  readonly name: string
  readonly ready: boolean
}

type RunningStatus<Kind extends Sandbox = Sandbox> = Omit<Kind, 'nodes'> & {
  readonly state: 'running'
  readonly nodes: readonly SandboxNode[]
  /** The process ids of components, by name. */
  readonly components: Readonly<Record<string, number>>
}

/**
 * The status of a sandbox. `broken`: some components do not run; `up` restarts them, `down` removes the
 * sandbox.
 */
export type SandboxStatus<Kind extends Sandbox = Sandbox> =
  | RunningStatus<Kind>
  | {readonly state: 'broken'; readonly name: string; readonly missing: readonly string[]}
  | {readonly state: 'absent'; readonly name: string}

/**
 * Returns the status of a sandbox, with its record of type `Kind`. Rejects with `KK_SANDBOX` if its record is
 * lost.
 */
export async function status<Kind extends Sandbox = Sandbox>(
  name: string,
  env: NodeJS.ProcessEnv,
): Promise<SandboxStatus<Kind>> {
  const paths = sandboxPaths(name, env)
  if (!(await exists(paths.home))) return {state: 'absent', name}
  const record = await readRecord(paths)
  if (record && 'lost' in record) throw lostSandbox('KK_SANDBOX', name, record.lost)
  const sandbox = record?.sandbox as Kind | undefined
  const required = sandbox && requiredComponents(paths, sandbox)
  const {components, missing} = await runningComponents(paths, required)
  if (!sandbox || missing.length > 0) return {state: 'broken', name, missing}
  return {...sandbox, state: 'running', nodes: await readNodes(sandbox, env), components}
}

/** Returns the names of all sandboxes of this user, running or not. */
export async function list(env: NodeJS.ProcessEnv): Promise<string[]> {
  const entries = await readdir(sandboxesDirectory(env), {withFileTypes: true}).catch(() => [])
  return entries
    .filter((entry) => entry.isDirectory() && isSandboxName(entry.name))
    .map((entry) => entry.name)
    .sort()
}

async function readNodes(sandbox: Sandbox, env: NodeJS.ProcessEnv): Promise<SandboxNode[]> {
  const {kubectl: binary} = findTools(env)
  const json = await kubectl({binary, kubeconfig: sandbox.kubeconfig, env}, [
    'get',
    'nodes',
    '--output',
    'json',
  ])
  const nodes = JSON.parse(json) as NodeList
  return nodes.items.map(({metadata, status}) => ({
    name: metadata?.name ?? '',
    ready: (status?.conditions ?? []).some(({type, status}) => type === 'Ready' && status === 'True'),
  }))
}
