import {mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {execa} from 'execa'
import {buildWhenOld} from '../../../e2e/support/build.ts'

/** A token that may write, and how Chromium sends it. */
export const KK_TOKEN = 'write-token-of-the-tests'
export const CREDENTIALS = {username: 'ada', password: KK_TOKEN}

const FACTS = join(import.meta.dirname, '../../../fixtures/overrides/bare-metal.yaml')

/**
 * Overrides of the document's charts in a directory and a store of their own, and the built binary to work on
 * them.
 */
export interface Workplace {
  readonly directory: string
  /** Runs the binary; resolves whatever its exit code is. */
  kk(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<Ended>
  /** Starts `kk serve`; resolves once it listens. */
  serve(args?: readonly string[], env?: Readonly<Record<string, string>>): Promise<Serving>
  remove(): Promise<void>
}

interface Ended {
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
}

export interface Serving {
  /** Without a slash at its end. */
  readonly url: string
  /** What it has logged so far. */
  log(): string
  stop(signal?: NodeJS.Signals): Promise<Ended>
}

/** To be removed. */
export async function openWorkplace(): Promise<Workplace> {
  const binary = await buildWhenOld((line) => process.stderr.write(`${line}\n`))
  const directory = await mkdtemp(join(tmpdir(), 'kk-serve-'))
  const own = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: directory,
    KK_STORE: join(directory, 'store.sqlite'),
  }
  const options = {cwd: directory, extendEnv: false, reject: false, forceKillAfterDelay: 30_000} as const
  const running = new Set<() => Promise<unknown>>()
  return {
    directory,
    kk: async (args, env = {KK_FACTS: FACTS}) =>
      endOf(await execa(binary, args, {...options, env: {...own, ...env}, input: ''})),
    async serve(args = [], env = {}) {
      const child = execa(binary, ['serve', '--listen', '127.0.0.1:0', ...args], {
        ...options,
        env: {...own, KK_FACTS: FACTS, ...env},
        stdin: 'ignore',
      })
      let log = ''
      const url = await new Promise<string>((resolve, reject) => {
        child.stderr.setEncoding('utf8').on('data', (text: string) => {
          log += text
          const [, found] = /serving overrides at (\S+)/.exec(log) ?? []
          if (found !== undefined) resolve(found)
        })
        void child.then(() => reject(new Error(log)))
      })
      const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
        running.delete(stop)
        child.kill(signal)
        return endOf(await child)
      }
      running.add(stop)
      return {url, log: () => log, stop}
    },
    async remove() {
      for (const stop of running) await stop()
      await rm(directory, {recursive: true, force: true})
    },
  }
}

function endOf({exitCode, stdout, stderr}: Partial<Ended>): Ended {
  return {exitCode, stdout: stdout ?? '', stderr: stderr ?? ''}
}
