import {once} from 'node:events'
import {execa} from 'execa'

interface Listening {
  readonly url: string
  readonly pid: number
}

interface Started {
  readonly command: readonly [string, ...string[]]
  readonly env: NodeJS.ProcessEnv
  readonly signal: AbortSignal
}

/**
 * Starts a program that first prints the address where it listens, on standard error; does the work, and
 * stops it.
 */
export async function whileListening<T>(
  {command: [file, ...args], env, signal}: Started,
  work: (listening: Listening) => Promise<T>,
): Promise<T> {
  const child = execa(file, args, {env, reject: false, cancelSignal: signal, stdout: 'ignore', buffer: false})
  try {
    const [said] = await once(child.stderr, 'data', {signal})
    const url = /http:\S+/.exec(String(said))?.[0]
    if (url === undefined) throw new Error(`${file} ${args.join(' ')} said: ${said}`)
    // An unread pipe would block it.
    child.stderr.resume()
    return await work({url, pid: child.pid!})
  } finally {
    child.kill('SIGTERM')
    await child
  }
}
