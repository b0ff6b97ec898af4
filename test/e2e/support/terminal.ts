import {execa} from 'execa'
import {createScreen} from '../../report/support/screen.ts'
import {waitFor} from './cluster.ts'
import {kkEnvironment} from './kk.ts'

interface TerminalOptions {
  readonly columns: number
  readonly rows: number
  readonly env?: Readonly<Record<string, string>>
}

/** A command on a terminal: of util-linux's script for the command, of xterm for who looks at it. */
export interface Terminal {
  /** What can be seen now, without trailing blanks. */
  rows(): Promise<readonly string[]>
  /** Waits until the screen matches, and resolves with its rows. */
  shows(pattern: RegExp): Promise<readonly string[]>
  type(text: string): void
  /** Takes the terminal away, as closing its window does; what runs on it is told by SIGHUP. */
  close(): Promise<void>
  /** The exit code, and all that was on the screen with what has scrolled away. */
  end(): Promise<{readonly exitCode: number | undefined; readonly everything: string}>
}

/** Starts a line of shell on a terminal of its own. */
export function openTerminal(command: string, {columns, rows, env}: TerminalOptions): Terminal {
  const screen = createScreen(columns, rows)
  const line = `stty columns ${columns} rows ${rows}; ${command}`
  const child = execa('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
    env: {...kkEnvironment(), SHELL: '/bin/sh', TERM: 'xterm-256color', ...env},
    extendEnv: false,
    reject: false,
    stdin: 'pipe',
  })
  child.stdout.setEncoding('utf8').on('data', (text: string) => screen.stream.write(text))
  return {
    rows: screen.rows,
    async shows(pattern) {
      let seen: readonly string[] = []
      const matches = async () => {
        seen = await screen.rows()
        return pattern.test(seen.join('\n'))
      }
      await waitFor(matches, {until: `the terminal shows ${pattern}`}).catch((error: Error) => {
        throw new Error(`${error.message}, but it shows\n${seen.join('\n').trimEnd()}`)
      })
      return seen
    },
    type: (text) => void child.stdin.write(text),
    async close() {
      child.kill('SIGKILL')
      await child
    },
    async end() {
      const {exitCode} = await child
      return {exitCode, everything: (await screen.everything()).join('\n')}
    },
  }
}
