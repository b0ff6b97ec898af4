import {mkdtemp, rm} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {warm} from '../../scripts/build/bundle.ts'
import {assemble, makeAssets} from '../../scripts/build/executable.ts'

const ROOT = join(import.meta.dirname, '../..')

export interface OtherCaches {
  /** Without V8's caches: everything is compiled at each start. */
  readonly none: string
  /** With those of kk when it has also run the words. */
  readonly more: string
}

/**
 * Makes executables as `npm run build` does, but for what V8 has compiled of kk; with the words of a command that builds leave out,
 * for its way is another each time.
 */
export async function withOtherCaches(directory: string, words: readonly string[]): Promise<OtherCaches> {
  // In the repository, for bundles hold the ways from here to sources that they leave out.
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
