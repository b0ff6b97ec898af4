import {mkdtemp, rm} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {warm} from '../../scripts/build/bundle.ts'
import {assemble, makeAssets} from '../../scripts/build/executable.ts'

const ROOT = join(import.meta.dirname, '../..')

export interface OtherCaches {
  /** Without V8's caches: everything is compiled at each start. */
  readonly none: string
  /** With kk's caches, made by a run that also runs this command. */
  readonly more: string
}

/**
 * Makes executables as `npm run build` does, except for V8's code caches of kk: with a command that builds
 * omit, because its run is not reproducible.
 */
export async function withOtherCaches(directory: string, words: readonly string[]): Promise<OtherCaches> {
  // In the repository, because bundles contain the relative paths from here to sources.
  const work = await mkdtemp(join(ROOT, 'dist/bench-'))
  try {
    const made = await makeAssets(work)
    const place = {node: process.execPath}
    const [none, more] = [join(directory, 'kk-without-caches'), join(directory, 'kk-with-more-caches')]
    await assemble(made, {...place, output: none, foreign: true})
    await warm('main', join(work, 'assets'), words)
    await assemble(made, {...place, output: more})
    for (const kk of [none, more]) await execa(kk, ['--version'])
    return {none, more}
  } finally {
    await rm(work, {recursive: true})
  }
}
