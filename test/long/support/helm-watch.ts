import {readdir, readFile} from 'node:fs/promises'
import {setTimeout as wait} from 'node:timers/promises'

interface RunningHelm {
  readonly release: string
  /** Returns false for one that has ended meanwhile. */
  kill(): boolean
}

export interface HelmWatch {
  /** The helms that run now. */
  now(): Promise<readonly RunningHelm[]>
  /** Ends the watch; how many helms were ever at work on each release at once. */
  end(): Promise<Readonly<Record<string, number>>>
}

/**
 * Looks at the processes of this machine, again and again, for helms that change `api` or `db` of a
 * namespace.
 */
export function watchHelms(namespace: string): HelmWatch {
  const most: Record<string, number> = {}
  let isEnded = false
  const now = async () => {
    const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry)).map(Number)
    const found = await Promise.all(pids.map((pid) => helmOf(pid, namespace)))
    return found.filter((each) => each !== undefined)
  }
  const watching = (async () => {
    while (!isEnded) {
      const helms = await now()
      for (const [release, {length}] of Map.groupBy(helms, (helm) => helm.release))
        most[release] = Math.max(most[release] ?? 0, length)
      await wait(50)
    }
  })()
  return {
    now,
    async end() {
      isEnded = true
      await watching
      return most
    },
  }
}

async function helmOf(pid: number, namespace: string): Promise<RunningHelm | undefined> {
  const [program = '', verb = '', ...words] = await readFile(`/proc/${pid}/cmdline`, 'utf8').then(
    (text) => text.split('\0'),
    () => [],
  )
  const isChanging = /\/helm[34]$/.test(program) && /^(install|upgrade)$/.test(verb)
  if (!isChanging || words[words.indexOf('--namespace') + 1] !== namespace) return undefined
  const release = words.find((word) => word === 'api' || word === 'db')
  if (!release || words.some((word) => word.startsWith('--dry-run'))) return undefined
  return {release, kill: () => kill(pid)}
}

function kill(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}
