import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {inject} from 'vitest'

export interface RecordedHelm {
  /** For `KK_HELM`. */
  readonly path: string
  /** The arguments of every call, oldest first. */
  calls(): Promise<readonly string[]>
}

/** The real helm behind a script that notes each call. */
export async function recordedHelm(directory: string, version: 'helm3' | 'helm4'): Promise<RecordedHelm> {
  const path = join(directory, 'helm')
  const log = join(directory, 'helm-calls')
  const {toolbox, versions} = inject('run')
  const script = [
    '#!/bin/sh',
    // Before helm, so that a helm which is killed is noted, too.
    `echo "$*" >>'${log}'`,
    // kk asks each new path, and a helm takes longer to start than to do most of what it is asked.
    `[ "$1" = version ] && exec echo ${versions[version]}`,
    `exec '${join(toolbox, version)}' "$@"`,
    '',
  ].join('\n')
  await writeFile(log, '')
  await writeFile(path, script, {mode: 0o755})
  return {
    path,
    calls: async () => (await readFile(log, 'utf8')).split('\n').filter((line) => line !== ''),
  }
}
