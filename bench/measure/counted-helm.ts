import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'

export interface CountedHelm {
  /** For `KK_HELM`. */
  readonly path: string
  /** The number of starts so far. */
  count(): Promise<number>
  /** Each start so far: its time, in milliseconds since the epoch, and its arguments. */
  starts(): Promise<readonly {readonly at: number; readonly words: readonly string[]}[]>
}

/** The real helm behind a script that records each start in the directory. */
export async function countedHelm(directory: string, helm: string): Promise<CountedHelm> {
  const path = join(directory, 'helm')
  const log = join(directory, 'helm-starts')
  await writeFile(log, '')
  const script = `#!/bin/sh\necho "$(date +%s%3N) $*" >>'${log}'\nexec '${helm}' "$@"\n`
  await writeFile(path, script, {mode: 0o755})
  const lines = async () => (await readFile(log, 'utf8')).split('\n').slice(0, -1)
  return {
    path,
    count: async () => (await lines()).length,
    starts: async () =>
      (await lines()).map((line) => {
        const [at, ...words] = line.split(' ')
        return {at: Number(at), words}
      }),
  }
}
