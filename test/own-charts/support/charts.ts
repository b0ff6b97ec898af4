import {createHash, randomUUID} from 'node:crypto'
import {existsSync} from 'node:fs'
import {cp, readFile, rename, writeFile} from 'node:fs/promises'
import {join, relative} from 'node:path'
import {execa} from 'execa'
import {loadAll} from 'js-yaml'
import {inject} from 'vitest'
import {readOwnCharts} from '../../../scripts/charts/read-charts.ts'
import type {ServiceValues} from '../../../scripts/charts/units.ts'
import {mergeValues} from '../../../src/base/merge.ts'
import type {Values} from '../../../src/base/values.ts'
import {readDialectChart} from '../../../src/charts/dialect.ts'
import {readChart} from '../../../src/charts/read-chart.ts'
import {valuesJson} from '../../../src/helm/open.ts'
import {accountSecrets} from '../../../src/overrides/system/accounts.ts'
import {SHORT_LIVED} from '../../e2e/support/kk.ts'
import type {HelmName} from '../../support/helms.ts'
import {testDirectory} from '../../support/test-directory.ts'
import type {KubernetesObject} from './objects.ts'

export const CHARTS = join(import.meta.dirname, '../../../charts')
/** kk's own charts of services, by their facts. */
const OWN = readOwnCharts(CHARTS).filter(({values}) => values.components !== undefined)

/** Their names: those of the directories in `charts/` whose chart has components. */
export const SERVICES: readonly string[] = OWN.map(({name}) => name)

/** The values of a chart of a service. */
export function valuesOf(chart: string): ServiceValues {
  return OWN.find(({name}) => name === chart)!.values
}

/** The images that are none of kk's, by their places. */
export const IMAGES: Values = {
  images: {
    tags: {
      fm_rest_api: 'registry.example.org/stx-fm-rest-api:1',
      nova_api_proxy: 'registry.example.org/stx-nova-api-proxy:1',
    },
  },
}

/**
 * What a deployer has to give: those, and every secret that the charts ask for, by its place; each is a word
 * that stands nowhere else.
 */
export const GIVEN: Values = mergeValues(
  IMAGES,
  ...OWN.flatMap(({directory}) => accountSecrets(readDialectChart(readChart(directory)))).map(
    ({path: [, ...place]}) => {
      const [, endpoint = '', , ...rest] = place
      const word = [endpoint.replace(/^oslo_/, ''), ...rest]
        .filter((part) => part !== 'password')
        .join('-')
        .replaceAll('_', '-')
      return nested(place, `marked-${word}`)
    },
  ),
)

/** The values with which a chart makes all that it can: what is there for those alone who ask for it, too. */
export function withAllObjects(chart: string): Values {
  const names = ['network_policy', ...Object.keys(valuesOf(chart).manifests ?? {})]
  return {manifests: Object.fromEntries(names.map((name) => [name, true])), network_policy: {nodes: []}}
}

/** The same with three pods of each component, under the longest name that a release can have. */
export function atLargest(chart: string) {
  const replicas = Object.fromEntries(Object.keys(valuesOf(chart).components ?? {}).map((name) => [name, 3]))
  return {release: 'r'.repeat(53), values: {...withAllObjects(chart), pod: {replicas}}}
}

/** A value at a place. */
export function nested(path: readonly string[], value: unknown): Values {
  return path.reduceRight<unknown>((inner, key) => ({[key]: inner}), value) as Values
}

interface Options {
  readonly helm?: HelmName
  readonly release?: string
  readonly namespace?: string
  readonly values?: object
  readonly files?: readonly string[]
  /** What `global` is; by default what has to be given. */
  readonly global?: object
}

export interface Charts {
  /** Copies a chart, for a test that changes it, under a name that none has; returns its directory. */
  copy(chart: string, name: string): Promise<string>
  text(chart: string, options?: Options): Promise<string>
  /** The objects; rendered once for the same charts, helm and options. */
  render(chart: string, options?: Options): Promise<KubernetesObject[]>
  /** What helm says when it refuses to render. */
  refusal(chart: string, options?: Options): Promise<string>
  /** What helm objects to in any of these charts, by one helm: starting it is half of what a lint takes. */
  lint(charts: readonly string[], options?: Options): Promise<string>
}

/** The charts with the library vendored, and copies of them. */
export async function useCharts(): Promise<Charts> {
  const {charts, toolbox} = inject('shared')
  const copies = new Map<string, string>()
  const directoryOf = (chart: string) => copies.get(chart) ?? join(charts, chart)
  const inputOf = ({values, global}: Options) => valuesJson({...values, global: global ?? GIVEN})
  const helm = async (args: readonly string[], options: Options) => {
    const {helm = 'helm4', files = []} = options
    const words = [...args, ...files.flatMap((file) => ['--values', file]), '--values', '-']
    return execa(join(toolbox, helm), words, {input: inputOf(options), env: SHORT_LIVED, reject: false})
  }
  const template = (chart: string, options: Options) => {
    const {release = chart, namespace = 'openstack'} = options
    return helm(['template', release, directoryOf(chart), '--namespace', namespace], options)
  }
  const rendered = new Map<string, Promise<KubernetesObject[]>>()
  const text = async (chart: string, options: Options = {}) => {
    const {stdout, stderr, exitCode} = await template(chart, options)
    if (exitCode !== 0) throw new Error(`${chart} does not render: ${stderr}`)
    return stdout
  }
  const objects = async (chart: string, options: Options) =>
    loadAll(await text(chart, options)).filter((object) => object !== null) as KubernetesObject[]
  return {
    async copy(chart, name) {
      const copy = join(testDirectory(), name)
      await cp(join(charts, chart), copy, {recursive: true})
      copies.set(name, copy)
      return copy
    },
    text,
    render: (chart, options = {}) => {
      const files = options.files?.map((file) => relative(CHARTS, file))
      const key = JSON.stringify([chart, {...options, files}, inputOf(options)])
      const make = () => objects(chart, options)
      const known = rendered.get(key) ?? (copies.has(chart) ? make() : once(key, make))
      rendered.set(key, known)
      return known
    },
    refusal: async (chart, options = {}) => (await template(chart, options)).stderr,
    lint: async (charts, options = {}) => {
      const {stdout, stderr, exitCode} = await helm(['lint', '--strict', ...charts.map(directoryOf)], options)
      return exitCode === 0 ? '' : `${stdout}${stderr}`
    },
  }
}

/** What another file or an earlier run has made already, or what is made now. */
async function once<T>(key: string, make: () => Promise<T>): Promise<T> {
  const path = join(inject('shared').rendered, createHash('sha256').update(key).digest('hex'))
  if (existsSync(path)) return JSON.parse(await readFile(path, 'utf8'))
  const made = await make()
  const draft = `${path}-${randomUUID()}`
  await writeFile(draft, JSON.stringify(made))
  await rename(draft, path)
  return made
}
