import {execa} from 'execa'
import {inject} from 'vitest'
import type {RunEvent} from '../../../src/run/events.ts'
import {waitFor} from './cluster.ts'
import type {Corner} from './corner.ts'
import {eventsIn} from './events.ts'
import {kkEnvironment} from './kk.ts'

interface BackgroundOptions {
  readonly env?: Readonly<Record<string, string>>
}

/** A kk that runs while the test does other things. */
export interface Background {
  readonly pid: number
  /** Resolves when such an event has come. */
  saw(condition: (event: RunEvent) => boolean, until: string): Promise<RunEvent>
  /**
   * To its process group, as a terminal does with Ctrl-C; what kk has started in groups of their own is not
   * hit.
   */
  signal(name: NodeJS.Signals): void
  ended(): Promise<{readonly exitCode: number | undefined; readonly stdout: string; readonly stderr: string}>
}

/** Starts kk with `--output ndjson` in a process group of its own. */
export function start(corner: Corner, args: readonly string[], {env}: BackgroundOptions = {}): Background {
  const child = execa(inject('run').kk, [...args, '--output', 'ndjson'], {
    cwd: corner.directory,
    env: {...kkEnvironment(), ...env},
    extendEnv: false,
    reject: false,
    detached: true,
    stdin: 'ignore',
  })
  const pid = child.pid!
  let stdout = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  return {
    pid,
    saw: (condition, until) => waitFor(async () => eventsIn(stdout).find(condition), {until}),
    signal: (name) => process.kill(-pid, name),
    async ended() {
      const {exitCode, stdout, stderr} = await child
      return {exitCode, stdout, stderr}
    },
  }
}
