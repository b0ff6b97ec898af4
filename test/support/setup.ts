import {chmod, mkdtemp, rm} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import {execa} from 'execa'
import type {TestProject} from 'vitest/node'

declare module 'vitest' {
  interface ProvidedContext {
    /** The directory of all temporary directories of the run. */
    temporary: string
  }
}

/**
 * Makes what tests of all projects need: `src/table.js`, which is not in git, and a directory that goes when
 * the run ends.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  await execa('node', ['scripts/table.ts', '--when-old'], {preferLocal: true})
  const temporary = await mkdtemp(join(tmpdir(), 'kk-tests-'))
  // Servers that tests start as another user have directories in it.
  await chmod(temporary, 0o711)
  project.provide('temporary', temporary)
  return () => rm(temporary, {recursive: true, force: true})
}
