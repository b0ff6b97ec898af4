import {chmod, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {onTestFinished} from 'vitest'
import {testDirectory} from '../../support/test-directory.ts'

/**
 * Puts a program of that name, in bash, before all others until the test is over; `directory` is one of its
 * own.
 */
export async function fakeBuildah(script: (directory: string) => string): Promise<string> {
  const directory = testDirectory()
  const path = process.env['PATH']
  process.env['PATH'] = `${directory}:${path}`
  onTestFinished(async () => {
    process.env['PATH'] = path
  })
  await writeFile(join(directory, 'buildah'), `#!/bin/bash\n${script(directory)}\n`)
  await chmod(join(directory, 'buildah'), 0o755)
  return directory
}
