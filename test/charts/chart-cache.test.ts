import {
  appendFileSync,
  existsSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import {dirname, join} from 'node:path'
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import type {Chart} from '../../src/charts/chart.ts'
import {type ChartCache, openChartCache} from '../../src/charts/chart-cache.ts'
import {readDialectChart} from '../../src/charts/dialect.ts'
import {digestChart} from '../../src/charts/digest-chart.ts'
import {findChart} from '../../src/charts/find-chart.ts'
import {mentioned} from '../../src/charts/own-files.ts'
import {readChart} from '../../src/charts/read-chart.ts'
import {vendorCharts} from '../../src/charts/vendor-charts.ts'
import {countOpened} from '../support/count-opened.ts'
import {addFiles, type Files, manifest, writeFiles} from './support/write-files.ts'

const NEEDS = 'dependencies: [{name: helm-toolkit, version: "*", repository: "file://../helm-toolkit"}]\n'
const FILES = {
  'keystone/Chart.yaml': manifest('keystone', '1.0.0', NEEDS),
  'keystone/values.yaml': 'endpoints: {identity: {auth: {admin: {password: password}}}}\nconf: {a: 1}\n',
  'keystone/templates/a.yaml': '{{ .Values.conf.a }} monitoring.coreos.com/v1',
  'helm-toolkit/Chart.yaml': manifest('helm-toolkit'),
  'helm-toolkit/templates/_a.tpl': '{{ .Capabilities.APIVersions.Has "cert-manager.io/v1" }}',
}
const WORDS = ['APIVersions', 'KubeVersion', 'coreos.com', 'cert-manager.io', 'example.org'] as const

/** Opens the cache in `cache`, as if the files of charts were older than they are. */
function opened(cache: string, options: Partial<Parameters<typeof openChartCache>[0]> = {}): ChartCache {
  return openChartCache({cache, build: 'kk 1', openedAt: Date.now() + 60_000, ...options})
}

function find(charts: string, cache: ChartCache | undefined): Promise<Chart> {
  const read = {charts: new Map(), libraries: new Map(), cache}
  const never = () => Promise.reject(new Error('nothing is to be fetched'))
  const packages = {pull: never, names: never, index: never, push: never}
  const finding = {builtIn: async () => charts, cache: charts, read, packages}
  return findChart({name: 'keystone'}, [{kind: 'directory', path: charts}], finding)
}

/** Returns all facts of a chart that a plan uses; the message for one that cannot be read. */
async function factsOf(chart: Promise<Chart>) {
  try {
    const {known: _, libraries: __, ...found} = await chart
    const {values, endpoints, dialect, templates} = readDialectChart(await chart)
    const words = [...mentioned(await chart, WORDS)].sort()
    return {found, values, endpoints, dialect, templates, words, digest: await digestChart(await chart)}
  } catch (error) {
    return (error as Error).message
  }
}

/** Resolves when the clock of the file system has advanced since a file was written. */
async function tick(directory: string): Promise<void> {
  const changed = () => {
    writeFileSync(join(directory, 'probe'), '')
    return statSync(join(directory, 'probe'), {bigint: true}).ctimeNs
  }
  const first = changed()
  while (changed() === first) await new Promise(setImmediate)
}

describe('a chart whose files do not change', () => {
  it('equals one that is read, without opening any of its files', async () => {
    const [charts, cache] = [writeFiles(FILES), writeFiles({})]
    const read = await factsOf(find(charts, undefined))
    await find(charts, opened(cache))
    const files = countOpened(charts)

    const kept = await factsOf(find(charts, opened(cache)))

    expect(kept).toEqual(read)
    expect(kept).toMatchObject({
      dialect: 'openstack-helm',
      words: ['APIVersions', 'cert-manager.io', 'coreos.com'],
    })
    expect(files).toEqual([])
    await factsOf(find(charts, undefined))
    expect(files).toContain(join(charts, 'keystone/values.yaml'))
  })

  it('has known facts in the command that reads it first', async () => {
    const [charts, cache] = [writeFiles(FILES), writeFiles({})]

    expect((await find(charts, opened(cache))).known).toEqual((await find(charts, opened(cache))).known)
  })

  it('is read by another build of kk', async () => {
    const [charts, cache] = [writeFiles(FILES), writeFiles({})]
    await find(charts, opened(cache))

    expect(opened(cache).find(join(charts, 'keystone'))?.known).toBeDefined()
    expect(opened(cache, {build: 'kk 2'}).find(join(charts, 'keystone'))).toBeUndefined()
  })
})

describe('the deployment of a known chart', () => {
  it('copies it with its libraries', async () => {
    const [charts, cache, copies] = [writeFiles(FILES), writeFiles({}), writeFiles({})]
    await find(charts, opened(cache))

    const copied = await vendorCharts([await find(charts, opened(cache))], copies)

    const [copy = ''] = copied.values()
    expect(readdirSync(copy).sort()).toEqual(['Chart.yaml', 'charts', 'templates', 'values.yaml'])
  })

  it.each(['keystone/values.yaml', 'helm-toolkit/templates/_a.tpl'])(
    'is refused if %s has changed',
    async (file) => {
      const [charts, cache] = [writeFiles(FILES), writeFiles({})]
      await find(charts, opened(cache))
      const chart = await find(charts, opened(cache))
      appendFileSync(join(charts, file), '# more\n')

      await expect(vendorCharts([chart], writeFiles({}))).rejects.toMatchObject({
        code: 'KK_CHART',
        message: `the files of ${join(charts, 'keystone')} changed while the plan was made`,
      })
    },
  )
})

describe('a chart is not cached', () => {
  it.each<[string, Files, Parameters<typeof opened>[1]?]>([
    ['when a file of it has changed just now', {}, {openedAt: Date.now()}],
    ['when its values are no JSON', {'keystone/values.yaml': 'a: .inf\n'}],
    ['when its values are no YAML', {'keystone/values.yaml': 'a: [\n'}],
    [
      'when a directory that it depends on may come',
      {
        'keystone/Chart.yaml': manifest('keystone', '1.0.0', NEEDS.replaceAll('helm-toolkit', 'gone')),
        'keystone/charts/gone/Chart.yaml': manifest('gone'),
      },
    ],
  ])('%s', async (_, files, options) => {
    const [charts, cache] = [writeFiles({...FILES, ...files}), writeFiles({})]
    await find(charts, opened(cache, options))

    expect(opened(cache).find(join(charts, 'keystone'))).toBeUndefined()
  })

  it('if its files include a link', async () => {
    const [charts, cache] = [writeFiles({...FILES, 'outside.yaml': ''}), writeFiles({})]
    symlinkSync('../../outside.yaml', join(charts, 'keystone/templates/b.yaml'))
    await find(charts, opened(cache))

    expect(opened(cache).find(join(charts, 'keystone'))).toBeUndefined()
  })

  it('for longer than 30 days', async () => {
    const [charts, other, cache] = [writeFiles(FILES), writeFiles(FILES), writeFiles({})]
    await find(charts, opened(cache))
    const folder = join(cache, 'known-charts')
    const old = readdirSync(folder).map((name) => join(folder, name))
    const [first = ''] = old
    utimesSync(first, 0, 0)

    await find(other, opened(cache))

    expect(old.map((file) => existsSync(file))).toEqual([false, true])
    expect(statSync(old[1]!).mode & 0o777).toBe(0o600)
  })
})

const PATHS = [
  ...Object.keys(FILES),
  'keystone/templates/b.yaml',
  'keystone/charts/x.yaml',
  'keystone/.helmignore',
]
const TEXTS = ['', 'a: 2\n', 'conf: {a: 2}\n', '{{ .Values.conf.b }}', manifest('keystone', '2.0.0')]
const file = fc.constantFrom(...PATHS)
const edit: fc.Arbitrary<Edit> = fc.record({
  kind: fc.constantFrom('write', 'append', 'remove', 'rename'),
  path: file,
  to: file,
  text: fc.constantFrom(...TEXTS),
})

interface Edit {
  readonly kind: 'write' | 'append' | 'remove' | 'rename'
  readonly path: string
  readonly to: string
  readonly text: string
}

function apply(charts: string, {kind, path, to, text}: Edit): void {
  const at = join(charts, path)
  if (kind === 'write') addFiles(charts, {[path]: text})
  else if (!existsSync(at)) return
  else if (kind === 'append') appendFileSync(at, '# more\n')
  else if (kind === 'remove') rmSync(at)
  else if (existsSync(dirname(join(charts, to)))) renameSync(at, join(charts, to))
}

describe('after any edits', () => {
  it('the cached facts equal those that are read', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edit, {minLength: 1, maxLength: 4}), async (edits) => {
        const [charts, cache] = [writeFiles(FILES), writeFiles({})]
        await find(charts, opened(cache))
        expect(opened(cache).find(join(charts, 'keystone'))).toBeDefined()
        for (const each of edits) {
          await tick(cache)
          apply(charts, each)

          expect(await factsOf(find(charts, opened(cache)))).toEqual(await factsOf(find(charts, undefined)))
        }
      }),
    )
  })

  it('of the same size and with the same times, it is read again', async () => {
    const [charts, cache] = [writeFiles(FILES), writeFiles({})]
    const values = join(charts, 'keystone/values.yaml')
    utimesSync(values, 1000, 1000)
    await find(charts, opened(cache))
    await tick(cache)
    writeFileSync(values, FILES['keystone/values.yaml'].replace('a: 1', 'a: 2'))
    utimesSync(values, 1000, 1000)

    expect(opened(cache).find(join(charts, 'keystone'))).toBeUndefined()
    expect(readDialectChart(await find(charts, opened(cache))).values).toEqual(
      readDialectChart(readChart(join(charts, 'keystone'))).values,
    )
  })
})
