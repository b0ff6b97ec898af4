import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {build, type Metafile} from 'esbuild'
import {execa} from 'execa'
import type {BundleName} from '../../src/state/assets.ts'
import {WARM_FLAGS} from './v8-flags.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Evaluated on use: only commands that need them take the time to load them. */
const SOURCES = {
  main: join(ROOT, 'src/main.ts'),
  viz: '@viz-js/viz',
  kubeconfig: '@kubernetes/client-node/dist/config.js',
  proxy: join(ROOT, 'src/state/network/libraries.ts'),
  store: join(ROOT, 'src/overrides/user/sql/libraries.ts'),
  server: join(ROOT, 'src/api/libraries.ts'),
  metrics: 'prom-client',
} satisfies Record<BundleName, string>

export const BUNDLES = Object.keys(SOURCES) as BundleName[]

const OPTIONS = {
  bundle: true,
  platform: 'node',
  target: 'node26',
  format: 'cjs',
  charset: 'ascii',
  minify: true,
  keepNames: true,
  metafile: true,
  legalComments: 'none',
  logLevel: 'warning',
  define: {'import.meta.url': '__kkUrl', 'import.meta.dirname': '__dirname', 'import.meta.main': 'false'},
  banner: {js: "const __kkUrl=require('node:url').pathToFileURL(__filename).href;"},
} as const

/** The few lines that the executable reads at every start. */
export async function bundleStart(file: string): Promise<Metafile> {
  const {metafile} = await build({
    ...OPTIONS,
    entryPoints: [join(ROOT, 'bin/kk.ts')],
    outfile: file,
    external: [...Object.values(SOURCES), join(ROOT, 'scripts/table.ts')],
  })
  return metafile
}

/** The script of the pages of `kk serve`, for browsers. */
export async function bundleHtmx(file: string): Promise<Metafile> {
  const {metafile} = await build({
    entryPoints: [join(ROOT, 'node_modules/htmx.org/dist/htmx.js')],
    outfile: file,
    minify: true,
    metafile: true,
    legalComments: 'none',
    logLevel: 'warning',
  })
  return metafile
}

/** A bundle as a function of (module, exports, require), with the code cache of a warm run. */
export async function bundle(name: BundleName, directory: string): Promise<Metafile> {
  const file = join(directory, `${name}.cjs`)
  const source = SOURCES[name]
  const {metafile} = await build({
    ...OPTIONS,
    stdin: {contents: `export * from '${source}'`, resolveDir: ROOT},
    outfile: file,
    external: Object.values(SOURCES).filter((each) => each !== source),
  })
  const head = `(function(module,exports,require){const __filename='${name}.cjs',__dirname='/';`
  writeFileSync(file, `${head}${escaped(readFileSync(file, 'utf8'))}\n})`)
  await warm(name, directory)
  return metafile
}

/** Writes the code cache of a bundle; for `main`, also with a command that is run. */
export async function warm(
  name: BundleName,
  directory: string,
  words: readonly string[] = [],
): Promise<void> {
  const program = join(import.meta.dirname, 'warm.ts')
  await execa(process.execPath, [...WARM_FLAGS, program, name, directory, ...words])
}

/**
 * The program in ASCII, as it is read at its start. esbuild escapes strings, but neither patterns nor tagged
 * templates; the raw string of such a template would differ, and no code uses it.
 */
function escaped(program: string): string {
  if (/String\.raw`[^`]*[^\0-\x7f]/.test(program))
    throw new Error('String.raw with more than ASCII would be changed')
  return program.replaceAll(
    /[^\0-\x7f]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}
