import {existsSync, readdirSync} from 'node:fs'
import {join, resolve} from 'node:path'
import {KkError} from '../base/errors.ts'
import type {Library} from './chart.ts'
import {type ChartYaml, type Dependency, readChartYaml} from './chart-yaml.ts'
import {isVersion, satisfiesConstraint} from './version.ts'

interface Dependent {
  readonly directory: string
  readonly manifest: ChartYaml
  /**
   * Unpacked from a package: all dependencies are inside, and `file://` paths were valid only when it was
   * packed.
   */
  readonly packaged: boolean
}

/**
 * Returns the `file://` dependencies of a chart, recursively. All other dependencies must be in `charts/`
 * already. A `file://` dependency may also be there: an unpacked one takes precedence, as in helm, which
 * reads only `charts/`; a package is used only if the directory is missing. `read` caches libraries by their
 * directories. Throws `KK_CHART` for one that is missing, has another name or version than required, or is
 * cyclic.
 */
export function listLibraries(
  dependent: Dependent,
  read: Map<string, Library> = new Map(),
  through: readonly string[] = [],
): Library[] {
  const libraries = new Map<string, Library>()
  for (const dependency of dependent.manifest.dependencies) {
    const directory = sourceOf(dependency, dependent)
    if (directory === undefined) checkVendored(dependency, dependent)
    else {
      const chain = [...through, dependent.directory]
      const library = readLibrary(dependency, directory, {read, through: chain})
      libraries.set(dependency.name, library)
    }
  }
  return [...libraries.values()]
}

function sourceOf(dependency: Dependency, dependent: Dependent): string | undefined {
  const {repository} = dependency
  if (dependent.packaged || !repository.startsWith('file://')) return undefined
  const source = resolve(dependent.directory, repository.slice('file://'.length))
  if (existsSync(join(dependent.directory, 'charts', dependency.name, 'Chart.yaml'))) return undefined
  return !existsSync(join(source, 'Chart.yaml')) && isVendored(dependency, dependent) ? undefined : source
}

interface Way {
  readonly read: Map<string, Library>
  readonly through: readonly string[]
}

function readLibrary(dependency: Dependency, directory: string, {read, through}: Way): Library {
  const dependent = through.at(-1)!
  if (through.includes(directory))
    throw refused(
      `${[...through, directory].join(' depends on ')}: a chart cannot contain itself`,
      'take one away',
    )
  if (!existsSync(join(directory, 'Chart.yaml')))
    throw refused(
      `${dependent} depends on ${dependency.name} at ${dependency.repository}, but ${directory} holds no chart`,
      `correct the repository of ${dependency.name} in its Chart.yaml`,
    )
  const manifest = readChartYaml(directory)
  const {name, version} = manifest
  const fits = dependency.version === '' || satisfiesConstraint(version, dependency.version)
  if (name !== dependency.name || !fits)
    throw refused(
      `${dependent} depends on ${dependency.name} ${dependency.version}, but ${directory} is ${name} ${version}`,
      'correct the dependency in its Chart.yaml',
    )
  const cached = read.get(directory)
  if (cached) return cached
  const libraries = listLibraries({directory, manifest, packaged: false}, read, through)
  const library = {name, directory, libraries}
  read.set(directory, library)
  return library
}

function isVendored({name}: Dependency, {directory}: Dependent): boolean {
  const charts = join(directory, 'charts')
  const entries = existsSync(charts) ? readdirSync(charts) : []
  return entries.some((entry) => entry === name || isChartPackage(entry, name))
}

function checkVendored(dependency: Dependency, dependent: Dependent): void {
  if (isVendored(dependency, dependent)) return
  const {name, repository} = dependency
  const {directory, manifest} = dependent
  const charts = join(directory, 'charts')
  const from = repository === '' ? '' : ` (${repository})`
  throw refused(
    `the chart ${manifest.name} depends on ${name}${from}, which is not in ${charts}`,
    `run helm dependency build ${directory}`,
  )
}

/** Returns true for the file name of a package of this chart: `common-0.1.0.tgz`. */
export function isChartPackage(file: string, name: string): boolean {
  return (
    file.startsWith(`${name}-`) &&
    file.endsWith('.tgz') &&
    isVersion(file.slice(name.length + 1, -'.tgz'.length))
  )
}

function refused(message: string, hint: string): KkError {
  return new KkError('KK_CHART', message, {hint})
}
