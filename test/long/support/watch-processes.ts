import {readdir, readFile} from 'node:fs/promises'
import {setImmediate as nextTurn} from 'node:timers/promises'

export interface ProcessWatch {
  /**
   * Ends the watch; the programs whose arguments or environment held one of the texts, and how many were
   * looked at.
   */
  end(): Promise<{readonly holders: readonly string[]; readonly looked: ReadonlySet<string>}>
}

/**
 * Looks at the arguments and the environment of every process of this machine, again and again, but for those
 * of `except`.
 */
export function watchProcesses(texts: readonly string[], except: string): ProcessWatch {
  const holders = new Set<string>()
  const looked = new Set<string>()
  let isEnded = false
  const watching = (async () => {
    while (!isEnded) {
      for (const pid of await readdir('/proc')) {
        if (!/^\d+$/.test(pid) || pid === String(process.pid)) continue
        const [words, variables] = await Promise.all(
          ['cmdline', 'environ'].map((file) => readFile(`/proc/${pid}/${file}`, 'latin1').catch(() => '')),
        )
        const [program = ''] = words!.split('\0')
        if (program === except) continue
        looked.add(program.split('/').at(-1)!)
        if (texts.some((text) => words!.includes(text) || variables!.includes(text))) holders.add(program)
      }
      await nextTurn()
    }
  })()
  return {
    async end() {
      isEnded = true
      await watching
      return {holders: [...holders], looked}
    },
  }
}
