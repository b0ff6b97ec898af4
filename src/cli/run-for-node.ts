import {execa} from 'execa'
import {KkError} from '../base/errors.ts'
import {foreignEnvironment} from '../state/processes/foreign-environment.ts'

interface NodeCommand {
  readonly node: string
  readonly command: string
  /** How long it may take, in milliseconds. */
  readonly timeout: number
  readonly onLine: (line: string) => void
}

/**
 * Runs a command of the deployer by the shell, with the name of a node as `KK_NODE`, and reports its output
 * line by line. Throws `KK_EXEC` if it fails, or does not end in time.
 */
export async function runForNode({node, command, timeout, onLine}: NodeCommand): Promise<void> {
  const child = execa('sh', ['-c', command], {
    ...{env: {...foreignEnvironment(process.env), KK_NODE: node}, extendEnv: false},
    ...{stdin: 'ignore', all: true, buffer: false, reject: false},
    // Without a limit for 0.
    ...{timeout: Math.max(1, timeout), killDescendants: true},
  })
  for await (const line of child.iterable({from: 'all'})) onLine(`${node}: ${line}`)
  const {exitCode, signal, timedOut} = await child
  if (exitCode === 0) return
  const ended = exitCode === undefined ? `was ended by ${signal ?? 'a signal'}` : `has exit code ${exitCode}`
  const how = timedOut ? 'did not end in time' : ended
  throw new KkError('KK_EXEC', `the command ${how}; ${node} stays drained`, {
    hint: 'correct it, and repeat kk node roll; kk node return takes the node back without it',
  })
}
