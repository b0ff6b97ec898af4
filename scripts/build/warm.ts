/**
 * `node warm.ts NAME DIRECTORY`: uses a bundle as its users will and keeps what V8 has compiled by then. A code cache
 * without such a run has only what is compiled when a file is loaded.
 */
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import type * as viz from '@viz-js/viz'
import * as prometheus from 'prom-client'
import type * as api from '../../src/api/libraries.ts'
import {openServer} from '../../src/api/open-server.ts'
import type {main} from '../../src/cli/main.ts'
import {KkError} from '../../src/errors.ts'
import {createCipher} from '../../src/overrides/user/cipher.ts'
import {storeKeys} from '../../src/overrides/user/keys.ts'
import type {Libraries} from '../../src/overrides/user/sql/database.ts'
import {migrate} from '../../src/overrides/user/sql/migrate.ts'
import {createSqlStore} from '../../src/overrides/user/sql/sql-store.ts'
import {openSqlite} from '../../src/overrides/user/sql/sqlite.ts'
import type {BundleName} from '../../src/state/assets.ts'
import {evaluateBundle} from '../../src/state/bundle.ts'
import {startWarmCluster} from './warm-cluster.ts'

const ENVIRONMENT = join(import.meta.dirname, '../../environments/all-in-one.yaml')

const WARM = {
  main: runCommands,
  viz: drawGraph,
  kubeconfig: async () => {},
  store: useStore,
  server: serve,
  metrics: measure,
} satisfies Record<BundleName, (exports: never) => Promise<void>>

/** What is run most, a second time with nothing to do. */
async function runCommands({main: run}: {main: typeof main}): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'kk-warm-'))
  const {kubeconfig, helm, close} = await startWarmCluster(directory)
  process.env = {
    HOME: directory,
    PATH: process.env.PATH,
    KK_HELM: helm,
    KUBECONFIG: kubeconfig,
    NO_COLOR: '1',
  }

  const commands = [
    ['deploy', ENVIRONMENT, '--yes'],
    ['deploy', ENVIRONMENT, '--yes'],
    ['plan', ENVIRONMENT],
    ['graph', ENVIRONMENT],
    ['values', 'split', ENVIRONMENT, '--stdout'],
    ['--help'],
  ]
  for (const command of commands) {
    await run(command)
    if (process.exitCode) throw new Error(`kk ${command.join(' ')} failed when it was used to warm up`)
  }
  close()
  rmSync(directory, {recursive: true})
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

const [name, directory = '.'] = process.argv.slice(2) as [BundleName, string]
const file = join(directory, `${name}.cjs`)
const evaluated = evaluateBundle({file: `${name}.cjs`, source: readFileSync(file, 'latin1')})
await WARM[name](evaluated.exports as never)
writeFileSync(`${file}.cache`, evaluated.codeCache())
