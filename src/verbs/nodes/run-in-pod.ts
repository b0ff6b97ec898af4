import {KkError} from '../../base/errors.ts'
import type {Exec, SeenPod} from '../../kubernetes/exec/exec.ts'

type ExecPort = Pick<Exec, 'run'>

const TIMEOUT_MS = 60_000

/** Resolves when a command in the container of a component has ended, with any exit code. */
export function execInPod(
  {run}: ExecPort,
  {namespace, name, container}: SeenPod,
  command: readonly string[],
  timeout = TIMEOUT_MS,
): ReturnType<Exec['run']> {
  return run({namespace, pod: name, container, command, timeout})
}

interface Running {
  /** The command in messages. */
  readonly title: string
  readonly timeout?: number
}

/** Returns what a command in the container of a component prints. Throws `KK_EXEC` if it fails. */
export async function runInPod(
  exec: ExecPort,
  pod: SeenPod,
  command: readonly string[],
  {title, timeout}: Running,
): Promise<string> {
  const {code, stdout, stderr} = await execInPod(exec, pod, command, timeout)
  if (code === 0) return stdout
  const reason = stderr.trim() || stdout.trim()
  throw new KkError('KK_EXEC', `${title} failed in ${pod.namespace}/${pod.name}: ${reason}`)
}
