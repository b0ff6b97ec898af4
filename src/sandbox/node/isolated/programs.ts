import {readFile} from 'node:fs/promises'
import {KkError} from '../../../base/errors.ts'
import {pollUntil} from '../../../base/poll.ts'
import {signalProcess} from '../../../state/processes/signal-process.ts'
import {runningComponents} from '../../control-plane/components.ts'
import {readPid} from '../local-node.ts'
import type {IsolatedNode} from './isolated-node.ts'

const EXIT_TIMEOUT_MS = 10_000

export async function isRunning({paths}: IsolatedNode, part: string): Promise<boolean> {
  const {components} = await runningComponents(paths)
  return components[part] !== undefined
}

/** Kills one program of a node, and waits until it has ended. */
export async function killPart(node: IsolatedNode, part: string): Promise<void> {
  // The program that entered the namespaces waits for it.
  const pid = readPid(node.paths.components[part]!)
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  for (const child of children.split(' ').filter(Boolean)) signalProcess(Number(child), 'SIGKILL')
  await exited(node, part)
}

export async function exited(node: IsolatedNode, part: string): Promise<void> {
  const isGone = async () => !(await isRunning(node, part))
  if (await pollUntil(isGone, {interval: 20, deadline: Date.now() + EXIT_TIMEOUT_MS})) return
  throw new KkError('KK_AIO', `${part} of ${node.name} does not exit`, {
    hint: '"kk aio down" removes all nodes',
  })
}
