import {basename, join, resolve} from 'node:path'
import {KkError} from '../../base/errors.ts'
import {suggest} from '../../base/suggest.ts'
import {readContainerConfig, usedFiles} from '../../exchange/kolla/container-config.ts'
import {dataOptions, takesOptions} from '../../exchange/kolla/data-options.ts'
import {whyWithout} from '../../exchange/kolla/lost.ts'
import {importContainer, jobConfOptions} from '../../exchange/kolla/read.ts'
import type {Component, ServiceChart} from '../../exchange/kolla/service-charts.ts'
import {readNamedFile} from '../../state/files/named-file.ts'
import {directoryFiles} from './directory-files.ts'
import {joinedValues, type ReleaseValues} from './release-values.ts'

export interface ConfigImport {
  readonly releases: readonly ReleaseValues[]
  readonly containers: readonly {
    readonly container: string
    readonly chart: string
    readonly component: string
    readonly files: readonly {readonly name: string; readonly isSecret: boolean}[]
    readonly notes: readonly string[]
  }[]
  /** Containers of a directory that no chart has a component for, with the reason. */
  readonly leftOut: readonly {readonly container: string; readonly why: string}[]
}

interface ImportOptions {
  readonly charts: readonly ServiceChart[]
  readonly passwords: readonly string[]
}

/**
 * Returns what kolla-ansible generated as values: of one container if the directory has a `config.json`, else
 * of each container below it that a chart has a component for. Rejects with `KK_KOLLA`, `KK_FILE`.
 */
export async function importConfig(directory: string, options: ImportOptions): Promise<ConfigImport> {
  const names = await directoryFiles(directory)
  if (names.includes('config.json')) return importOne({directory, names}, options)
  const containers = names.flatMap((name) => /^([^/]+)\/config\.json$/.exec(name)?.[1] ?? [])
  if (containers.length === 0)
    throw new KkError('KK_KOLLA', `${directory}: expected a config.json in it, or in directories below`, {
      hint: 'name what kolla-ansible genconfig wrote: /etc/kolla, or a directory of a container in it',
    })
  const candidates = containers.map((container) => ({
    container,
    place: findComponent(container, options.charts),
  }))
  const importable = candidates.flatMap(({container, place}) =>
    typeof place === 'string' ? [] : [{container, place}],
  )
  return {
    ...joined(
      await Promise.all(
        importable.map(({container, place}) =>
          imported(below({directory, names}, container), place, options),
        ),
      ),
    ),
    leftOut: candidates.flatMap(({container, place}) =>
      typeof place === 'string' ? [{container, why: place}] : [],
    ),
  }
}

/** A directory with the names of all files below it. */
interface ListedDirectory {
  readonly directory: string
  readonly names: readonly string[]
}

function below({directory, names}: ListedDirectory, container: string): ListedDirectory {
  const start = `${container}/`
  return {
    directory: join(directory, container),
    names: names.flatMap((name) => (name.startsWith(start) ? [name.slice(start.length)] : [])),
  }
}

async function importOne(listed: ListedDirectory, options: ImportOptions): Promise<ConfigImport> {
  const {directory} = listed
  const place = findComponent(basename(resolve(directory)), options.charts)
  if (typeof place !== 'string') return {...joined([await imported(listed, place, options)]), leftOut: []}
  const containerNames = options.charts.flatMap(({components}) =>
    components.flatMap(({containers}) => containers),
  )
  const close = suggest(basename(resolve(directory)), containerNames)
  throw new KkError('KK_KOLLA', `${directory}: ${place}`, {
    hint: close === undefined ? 'omit it; kk config merge takes its options' : `did you mean ${close}?`,
  })
}

interface Place {
  readonly container: string
  readonly chart: ServiceChart
  readonly component: Component
}

/** Returns the component for a container of kolla, or the reason why there is none. */
function findComponent(container: string, charts: readonly ServiceChart[]): Place | string {
  const name = container.replaceAll('_', '-')
  const match = charts
    .flatMap((chart) => chart.components.map((component) => ({container, chart, component})))
    .find(({component}) => component.containers.includes(name))
  if (!match) return whyWithout(name)
  if (match.chart.isProtected && !takesOptions(match.chart.files))
    return `the chart ${match.chart.name} holds data, and starts it with its own scripts and addresses`
  return match
}

type Imported = ConfigImport['containers'][number] & Pick<ReleaseValues, 'values' | 'secrets'>

async function imported(
  {directory, names}: ListedDirectory,
  place: Place,
  {passwords}: ImportOptions,
): Promise<Imported> {
  const {container, chart, component} = place
  const file = join(directory, 'config.json')
  const config = readContainerConfig({file, text: await readNamedFile(file)})
  const present = names.filter((name) => name !== 'config.json')
  const used = usedFiles(file, config, present)
  const texts = new Map<string, string>()
  for (const name of used) texts.set(name, await readNamedFile(join(directory, name)))
  const unused = present.filter((name) => !used.includes(name))
  const idle = unused.length === 0 ? [] : [`config.json does not name ${unused.join(', ')}: skipped`]
  const {readOnly} = component
  const files = {file, config, texts, passwords, readOnly}
  const summary = {container, chart: chart.name, component: component.name}
  if (chart.isProtected) {
    const options = dataOptions(files, chart.files)
    return {...summary, ...options, notes: [...options.notes, ...idle]}
  }
  const {values, secrets, files: placed, notes} = importContainer(files)
  const conf = jobConfOptions(chart, config.config_files, texts)
  return {
    ...{...summary, files: placed},
    notes: [...notes, ...idle],
    values: {...(Object.keys(conf).length > 0 && {conf}), kolla: {[component.name]: values}},
    secrets: {kolla: {[component.name]: secrets}},
  }
}

function joined(imports: readonly Imported[]): Omit<ConfigImport, 'leftOut'> {
  return {
    releases: joinedValues(imports.map(({chart, values, secrets}) => ({release: chart, values, secrets}))),
    containers: imports.map(({values: _values, secrets: _secrets, ...summary}) => summary),
  }
}
