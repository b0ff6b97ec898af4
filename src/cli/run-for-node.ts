import {execa} from 'execa'
import {KkError} from '../base/errors.ts'

/**
 * Runs a command of the deployer by the shell, with the name of a node as `KK_NODE`, and reports its output
 * line by line. Throws `KK_EXEC` if it fails.
 */
export async function runForNode(
  node: string,
  command: string,
  onLine: (line: string) => void,
): Promise<void> {
  const child = execa('sh', ['-c', command], {
    ...{env: {KK_NODE: node}, stdin: 'ignore', all: true, buffer: false, reject: false},
  })
  for await (const line of child.iterable({from: 'all'})) onLine(`${node}: ${line}`)
  const {exitCode, signal} = await child
  if (exitCode === 0) return
  const how = exitCode === undefined ? `was ended by ${signal ?? 'a signal'}` : `has exit code ${exitCode}`
  throw new KkError('KK_EXEC', `the command ${how}; ${node} stays drained`, {
    hint: 'correct it, and repeat kk node roll; kk node return takes the node back without it',
  })
}
