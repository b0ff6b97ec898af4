import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'

export interface CountedHelm {
  /** For `KK_HELM`. */
  readonly path: string
  /** How many were started so far. */
  count(): Promise<number>
}

/** The real helm behind a script that notes each start in the directory. */
export async function countedHelm(directory: string, helm: string): Promise<CountedHelm> {
  const path = join(directory, 'helm')
  const log = join(directory, 'helm-starts')
  await writeFile(log, '')
  await writeFile(path, `#!/bin/sh\necho "$1" >>'${log}'\nexec '${helm}' "$@"\n`, {mode: 0o755})
  return {path, count: async () => (await readFile(log, 'utf8')).split('\n').length - 1}
}
