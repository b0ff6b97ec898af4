import {KkError} from '../base/errors.ts'
import {requiredComponents, runningComponents} from './control-plane/components.ts'
import {type SandboxPaths, sandboxPaths} from './paths.ts'
import {readRecord} from './record.ts'
import {commandOf, DEFAULT_SANDBOX, NODE_NAME, type Sandbox} from './sandbox.ts'

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The state of a sandbox. `never-up`: no start has completed. `broken`: it was up and holds deployed data,
 * but some components do not run. `lost`: it was up, but has no usable record.
 */
export type FoundSandbox =
  | {readonly state: 'never-up'}
  | {readonly state: 'lost'; readonly why: string}
  | {readonly state: 'running'; readonly sandbox: Sandbox}
  | {readonly state: 'broken'; readonly sandbox: Sandbox; readonly missing: readonly string[]}

/** Returns the state of a sandbox; reads a few files. */
export async function findSandbox(paths: SandboxPaths): Promise<FoundSandbox> {
  const record = await readRecord(paths)
  if (!record) return {state: 'never-up'}
  if ('lost' in record) return {state: 'lost', why: record.lost}
  const {sandbox} = record
  const {missing} = await runningComponents(paths, requiredComponents(paths, sandbox))
  return missing.length === 0 ? {state: 'running', sandbox} : {state: 'broken', sandbox, missing}
}

/**
 * Returns the running sandbox for commands with `--sandbox`. Rejects with `KK_SANDBOX` if it does not run.
 */
export async function requireSandbox(name: string, env: Environment): Promise<Sandbox> {
  const status = await findSandbox(sandboxPaths(name, env))
  if (status.state === 'running') return status.sandbox
  if (status.state === 'broken') throw new KkError('KK_SANDBOX', ...brokenSandbox(name, status.missing))
  if (status.state === 'lost') throw lostSandbox('KK_SANDBOX', name, status.why)
  throw new KkError('KK_SANDBOX', `the sandbox ${name} does not run`, {
    hint: `start it with "${withName(name, 'up')}"`,
  })
}

/** Returns the error for starting a sandbox that was up, whose deployments would be lost. */
export function refuseBroken(name: string, missing: readonly string[]): KkError {
  return new KkError('KK_SANDBOX_BROKEN', ...brokenSandbox(name, missing))
}

/** Returns the error for a sandbox whose data exists although its record is missing or damaged. */
export function lostSandbox(code: 'KK_SANDBOX' | 'KK_SANDBOX_BROKEN', name: string, why: string): KkError {
  return new KkError(code, `the sandbox ${name} was up, but can no longer be reached: ${why}`, {
    hint: downRemoves(name),
  })
}

function brokenSandbox(name: string, missing: readonly string[]): [message: string, {readonly hint: string}] {
  const down = downRemoves(name)
  const up = `"${withName(name, 'up')}" restarts its components, and keeps everything deployed`
  return [
    `the sandbox ${name} was up, but is no longer running: ${missing.join(', ')} exited`,
    {hint: name === NODE_NAME ? down : `${up}; ${down}`},
  ]
}

function downRemoves(name: string): string {
  return `"${withName(name, 'down')}" removes it with everything deployed in it`
}

function withName(name: string, verb: 'up' | 'down'): string {
  const flag = [DEFAULT_SANDBOX, NODE_NAME].includes(name) ? '' : ` --sandbox-name ${name}`
  return `${commandOf(name)} ${verb}${flag}`
}
