import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {KkError} from '../base/errors.ts'
import {isMap, type Values} from '../base/values.ts'
import {utf8Text} from '../state/files/utf8-text.ts'
import {readYaml} from '../yaml/yaml.ts'
import {isVersion} from './version.ts'

/** The content of a `Chart.yaml`; scalars are strings, as Helm decodes them. */
export interface ChartYaml {
  readonly file: string
  /** The file's content, for looking up lines. */
  readonly text: string
  readonly name: string
  readonly version: string
  readonly appVersion: string
  readonly description: string
  readonly type: 'application' | 'library'
  readonly kubeVersion: string | undefined
  readonly deprecated: boolean
  readonly annotations: Readonly<Record<string, string>>
  readonly dependencies: readonly Dependency[]
}

export interface Dependency {
  readonly name: string
  /** A constraint; empty if none is stated. */
  readonly version: string
  /** `file://…`, a URL, `@name`, or empty. */
  readonly repository: string
}

/**
 * Reads the `Chart.yaml` of a directory; for `apiVersion: v1` also its `requirements.yaml`. Throws `KK_CHART`
 * for a chart that Helm's `Metadata.Validate` refuses, `KK_YAML` for invalid YAML, `KK_FILE` for invalid
 * UTF-8.
 */
export function readChartYaml(directory: string): ChartYaml {
  const file = join(directory, 'Chart.yaml')
  const text = readText(file)
  const data = readMap(text, file)
  const field = (key: string) => scalar(data[key], `${file}: ${key}`)

  const apiVersion = field('apiVersion')
  if (!['', 'v1', 'v2'].includes(apiVersion))
    throw refused(file, `expected apiVersion v1 or v2, found ${JSON.stringify(apiVersion)}`)
  const name = field('name')
  if (name === '' || name === '.' || name === '..' || /[/\\]/.test(name))
    throw refused(file, `expected the name of the chart, found ${JSON.stringify(name)}`)
  const version = field('version')
  if (!isVersion(version))
    throw refused(file, `expected a semantic version, found version: ${JSON.stringify(version)}`)
  const type = field('type') || 'application'
  if (type !== 'application' && type !== 'library')
    throw refused(file, `expected type application or library, found ${JSON.stringify(type)}`)
  const kubeVersion = field('kubeVersion')
  return {
    file,
    text,
    name,
    version,
    appVersion: field('appVersion'),
    description: field('description'),
    type,
    kubeVersion: kubeVersion === '' ? undefined : kubeVersion,
    deprecated: field('deprecated') === 'true',
    annotations: readAnnotations(data.annotations, file),
    dependencies: readDependencies(data, directory, file),
  }
}

function readAnnotations(value: unknown, file: string): Record<string, string> {
  const place = `${file}: annotations`
  const entries = Object.entries(map(value ?? {}, place))
  return Object.fromEntries(entries.map(([key, text]) => [key, scalar(text, `${place}: ${key}`)]))
}

function readDependencies(data: Values, directory: string, file: string): Dependency[] {
  const isOld = (data.apiVersion ?? 'v1') === 'v1'
  const requirements = join(directory, 'requirements.yaml')
  const old = isOld ? readOptional(requirements) : undefined
  const [list, source] =
    old === undefined ? [data.dependencies, file] : [readMap(old, requirements).dependencies, requirements]
  if (list === undefined || list === null) return []
  if (!Array.isArray(list)) throw refused(source, 'expected dependencies to be a list')
  return list.map((item, index) => {
    const place = `${source}: dependencies[${index}]`
    const entry = map(item, place)
    const name = scalar(entry.name, `${place}.name`)
    if (!/^[\w.-]+$/.test(name) || /^\.+$/.test(name))
      throw refused(
        source,
        `expected the name of a chart at dependencies[${index}].name, found ${JSON.stringify(name)}`,
      )
    const version = scalar(entry.version, `${place}.version`)
    return {name, version, repository: scalar(entry.repository, `${place}.repository`)}
  })
}

function readMap(text: string, file: string): Values {
  return map(readYaml(text, {file}), file)
}

function map(value: unknown, place: string): Values {
  if (isMap(value)) return value
  throw refused(place, 'expected keys with values')
}

/** Helm decodes into strings: `appVersion: 2025.1` is "2025.1", `true` is "true". */
function scalar(value: unknown, place: string): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'object') throw refused(place, 'expected a string')
  return String(value)
}

function readText(file: string): string {
  const text = readOptional(file)
  if (text === undefined) throw refused(file, 'cannot be read (ENOENT)')
  return text
}

function readOptional(file: string): string | undefined {
  const bytes = readBytes(file)
  return bytes && utf8Text(bytes, file)
}

function readBytes(file: string): Uint8Array | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw refused(file, `cannot be read (${code})`, error)
  }
}

function refused(place: string, reason: string, cause?: unknown): KkError {
  return new KkError('KK_CHART', `${place}: ${reason}`, {
    cause,
    hint: 'correct the chart; helm lint says more',
  })
}
