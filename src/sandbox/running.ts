import {KkError} from '../errors.ts'
import {runningComponents} from './control-plane/components.ts'
import {type SandboxPaths, sandboxPaths} from './paths.ts'
import {readRecord} from './record.ts'
import {commandOf, DEFAULT_SANDBOX, NODE_NAME, type Sandbox} from './sandbox.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The sandbox if all of its control plane runs, else undefined. Costs a few file reads. */
export async function runningSandbox(paths: SandboxPaths): Promise<Sandbox | undefined> {
  const sandbox = await readRecord(paths)
  if (!sandbox) return undefined
  const {missing} = await runningComponents(paths)
  return missing.length === 0 ? sandbox : undefined
}

/** The running sandbox for commands with `--sandbox`; throws `KK_SANDBOX` when it does not run. */
export async function requireSandbox(name: string, env: Environment): Promise<Sandbox> {
  const sandbox = await runningSandbox(sandboxPaths(name, env))
  if (sandbox) return sandbox
  const flag = [DEFAULT_SANDBOX, NODE_NAME].includes(name) ? '' : ` --sandbox-name ${name}`
  throw new KkError('KK_SANDBOX', `the sandbox ${name} does not run`, {
    hint: `start it with "${commandOf(name)} up${flag}"`,
  })
}
