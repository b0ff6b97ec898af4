/**
 * `node warm.ts NAME DIRECTORY [WORD…]`: runs a bundle as users will, and stores what V8 has compiled by
 * then. A code cache without such a run has only what is compiled when a file is loaded. The words are a
 * command to run as well, to measure the effect of its code in the cache.
 */
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import type * as viz from '@viz-js/viz'
import * as prometheus from 'prom-client'
import type * as api from '../../src/api/libraries.ts'
import {openServer} from '../../src/api/open-server.ts'
import {KkError} from '../../src/base/errors.ts'
import type {main} from '../../src/main.ts'
import {createCipher} from '../../src/overrides/user/cipher.ts'
import {storeKeys} from '../../src/overrides/user/keys.ts'
import type {Libraries} from '../../src/overrides/user/sql/database.ts'
import {migrate} from '../../src/overrides/user/sql/migrate.ts'
import {createSqlStore} from '../../src/overrides/user/sql/sql-store.ts'
import {openSqlite} from '../../src/overrides/user/sql/sqlite.ts'
import type {BundleName} from '../../src/state/assets.ts'
import {evaluateBundle} from '../../src/state/bundle.ts'
import {undoWarmFlags} from './v8-flags.ts'

const ENVIRONMENT = join(import.meta.dirname, '../../environments/all-in-one.yaml')

const WARM = {
  main: runCommands,
  viz: drawGraph,
  kubeconfig: async () => {},
  proxy: async () => {},
  store: useStore,
  server: serve,
  metrics: measure,
} satisfies Record<BundleName, (exports: never) => Promise<void>>

/**
 * Commands without a cluster: a run that waits interleaves differently each time, and compiles other
 * functions, so the cache would not be reproducible. A deploy gets as far as its kubeconfig, which is
 * missing.
 */
async function runCommands({main: run}: {main: typeof main}): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'kk-warm-'))
  process.env = {
    HOME: directory,
    // Files of others in the temporary folder are read, too.
    TMPDIR: directory,
    PATH: process.env.PATH,
    NO_COLOR: '1',
  }
  await succeed(run, ['graph', ENVIRONMENT])
  await succeed(run, ['values', 'split', ENVIRONMENT, '--stdout'])
  await succeed(run, ['--help'])
  await fail(
    run,
    ['deploy', ENVIRONMENT, '--kubeconfig', join(directory, 'missing'), '--yes'],
    'KK_KUBECONFIG',
  )
  if (words.length > 0) await succeed(run, words)
  rmSync(directory, {recursive: true})
}

async function succeed(run: typeof main, words: readonly string[]): Promise<void> {
  if ((await run(words)) !== 0) throw new Error(`kk ${words.join(' ')} failed when it was used to warm up`)
}

/** Runs a command that ends with this error, and not before. */
async function fail(run: typeof main, words: readonly string[], code: string): Promise<void> {
  const {write} = process.stderr
  let errors = ''
  process.stderr.write = (text) => {
    errors += String(text)
    return true
  }
  try {
    await run(words)
  } finally {
    process.stderr.write = write
  }
  if (!errors.includes(code))
    throw new Error(`kk ${words.join(' ')} did not get as far as ${code}: ${errors}`)
}

async function drawGraph({instance}: typeof viz): Promise<void> {
  ;(await instance()).renderString('digraph {a -> b}', {format: 'svg'})
}

async function useStore(libraries: Libraries): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'kk-warm-'))
  const database = await openSqlite(join(directory, 'store.sqlite'), libraries)
  await migrate(database, libraries)
  const store = createSqlStore(
    database,
    createCipher(() => storeKeys({})),
  )
  const change = {name: 'nova', namespace: 'openstack', who: 'warm', expected: undefined, secret: false}
  await store.put({...change, userOverrides: 'a: 1\n'})
  await store.identity()
  await store.list()
  await store.close()
  rmSync(directory, {recursive: true})
}

async function serve(libraries: typeof api): Promise<void> {
  const service = {
    charts: async () => [],
    show: notNow,
    explain: notNow,
    update: notNow,
    delete: notNow,
    history: async () => [],
    export: notNow,
    import: notNow,
  }
  const app = await openServer(
    {
      serviceFor: () => service,
      releasesOf: () => undefined,
      ready: async () => {},
      tokens: undefined,
      version: 'warm',
    },
    libraries,
    prometheus,
  )
  for (const url of ['/v1/helm_charts', '/v1/helm_charts/nova', '/openapi.json']) await app.inject(url)
  await app.close()
}

async function measure({Registry, collectDefaultMetrics}: typeof prometheus): Promise<void> {
  const registry = new Registry()
  collectDefaultMetrics({register: registry})
  await registry.metrics()
}

async function notNow(): Promise<never> {
  throw new KkError('KK_USAGE', 'only warming up')
}

const [name, assets = '.', ...words] = process.argv.slice(2) as [BundleName, ...string[]]
const file = join(assets, `${name}.cjs`)
const evaluated = evaluateBundle({file: `${name}.cjs`, source: readFileSync(file, 'latin1')})
await WARM[name](evaluated.exports as never)
undoWarmFlags()
writeFileSync(`${file}.cache`, evaluated.codeCache())
