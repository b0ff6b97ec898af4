import {chmod, mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {onTestFinished} from 'vitest'

/** Puts a program of that name, in bash, before all others until the test is over; `directory` is one of its own. */
export async function fakeBuildah(script: (directory: string) => string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'kk-buildah-'))
  const path = process.env['PATH']
  process.env['PATH'] = `${directory}:${path}`
  onTestFinished(async () => {
    process.env['PATH'] = path
    await rm(directory, {recursive: true})
  })
  await writeFile(join(directory, 'buildah'), `#!/bin/bash\n${script(directory)}\n`)
  await chmod(join(directory, 'buildah'), 0o755)
  return directory
}
