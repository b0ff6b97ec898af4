import {readdirSync, readFileSync} from 'node:fs'
import {join} from 'node:path'
import {isSea} from 'node:sea'
import {brotliCompressSync, brotliDecompressSync} from 'node:zlib'
import {readAsset} from './assets.ts'

/** The pages of `docs/` by their paths below it, as Markdown. */
export type Pages = Readonly<Record<string, string>>

/** Returns the documentation of this kk: compressed in the executable, which only `kk docs` reads. */
export async function readPages(): Promise<Pages> {
  if (!isSea()) return pagesIn(join(import.meta.dirname, '../../docs'))
  return JSON.parse(brotliDecompressSync(await readAsset('pages.json.br')).toString()) as Pages
}

/** Returns the asset of the executable that `readPages` reads. */
export function compressedPages(directory: string): Buffer {
  return brotliCompressSync(JSON.stringify(pagesIn(directory)))
}

/** Pages about how kk came to be: decisions, and fragments of the changelog. */
const DEVELOPERS = /^(?:decisions|changes)\//

function pagesIn(directory: string): Pages {
  const all = readdirSync(directory, {recursive: true, encoding: 'utf8'})
  const names = all.filter((name) => name.endsWith('.md') && !DEVELOPERS.test(name))
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(directory, name), 'utf8')]))
}
