import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'

/** An executable `helm` in the directory: a shell script with this body, `$D` being the directory. */
export async function writeFakeHelm(directory: string, body: string): Promise<string> {
  const path = join(directory, 'helm')
  await writeFile(path, `#!/bin/sh\nD='${directory}'\n${body}\n`, {mode: 0o755})
  return path
}

/**
 * Writes its arguments, one per line, its environment and its standard input to files, then answers as helm
 * does.
 */
export const RECORDING = `
printf '%s\\n' "$@" >"$D/arguments"
env >"$D/environment"
cat >"$D/input"
printf '%s\\n' '{"name":"keystone","version":7,"info":{"status":"deployed"},"manifest":"a: 1\\n","hooks":[{"manifest":"b: 2"}]}'
`
