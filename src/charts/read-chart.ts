import {KkError} from '../base/errors.ts'
import type {Position} from '../base/position.ts'
import {suggest} from '../base/suggest.ts'
import {parseRequirement} from '../environment/requirement.ts'
import {ANNOTATIONS, PREFIX, PROTECTED, REQUIRES, SHARED, statedRequirements} from '../graph/annotations.ts'
import type {Chart, ChartRequirement, Library} from './chart.ts'
import {type ChartYaml, readChartYaml} from './chart-yaml.ts'
import {listLibraries} from './dependencies.ts'

/** The origin of a chart, if that is not the directory itself, and its parts that are already read. */
export interface ChartOrigin {
  /** The source of the chart, for people. */
  readonly origin: string
  /** The SHA-256 of the package from which the directory was unpacked. */
  readonly packageDigest?: string
  readonly manifest?: ChartYaml
  /** The libraries that other charts share with it, by their directories. */
  readonly libraries?: Map<string, Library> | undefined
}

/**
 * Returns the metadata and requirements of the chart in a directory. Throws `KK_CHART` with the file, and the
 * line if possible.
 */
export function readChart(
  directory: string,
  {manifest = readChartYaml(directory), libraries, ...from}: ChartOrigin = {origin: directory},
): Chart {
  checkAnnotations(manifest)
  const {name, version, appVersion, type, kubeVersion, deprecated} = manifest
  return {
    name,
    version,
    appVersion,
    type,
    ...(kubeVersion !== undefined && {kubeVersion}),
    ...(deprecated && {deprecated: manifest.description}),
    directory,
    ...from,
    requires: readRequirements(manifest),
    protected: isProtected(manifest),
    annotated: isAnnotated(manifest),
    sharedInfrastructure: isSharedInfrastructure(manifest),
    libraries: listLibraries({directory, manifest, packaged: from.packageDigest !== undefined}, libraries),
  }
}

/**
 * Returns the requirements in the annotation `kk.openstack.org/requires` of a chart. Throws `KK_CHART` with
 * file, line and column.
 */
function readRequirements(manifest: ChartYaml): ChartRequirement[] {
  const text = manifest.annotations[REQUIRES]
  if (text === undefined) return []
  const position = findPosition(manifest, REQUIRES)
  const evidence = {
    source: 'annotation',
    file: position.file,
    line: position.line,
    text: `${REQUIRES}: ${JSON.stringify(text)}`,
  } as const
  return statedRequirements(manifest.annotations).map((word) => {
    const optional = word.endsWith('?')
    const requirement = parseRequirement(optional ? word.slice(0, -1) : word, position)
    if (requirement) return {...requirement, optional, evidence}
    throw refused(
      position,
      `expected a release such as "mariadb", "neutron:applied" or "ceph?", found "${word}"`,
    )
  })
}

/** Returns true for a chart whose releases no command removes unless they are named and confirmed. */
function isProtected(manifest: ChartYaml): boolean {
  return isTrue(manifest, PROTECTED)
}

/**
 * Returns true for shared infrastructure (mariadb, rabbitmq): any chart whose configuration mentions a
 * release of it requires it.
 */
function isSharedInfrastructure(manifest: ChartYaml): boolean {
  return isTrue(manifest, SHARED)
}

/** Returns true for a chart that states its requirements itself, so that nothing need be inferred. */
function isAnnotated({annotations}: ChartYaml): boolean {
  return annotations[REQUIRES] !== undefined || annotations[PROTECTED] !== undefined
}

function isTrue(manifest: ChartYaml, key: string): boolean {
  const text = manifest.annotations[key] ?? 'false'
  if (text === 'true' || text === 'false') return text === 'true'
  throw refused(findPosition(manifest, key), `expected ${key}: "true" or "false", found "${text}"`)
}

/** A misspelt annotation would silently lose requirements. Throws `KK_CHART`. */
function checkAnnotations(manifest: ChartYaml): void {
  for (const key of Object.keys(manifest.annotations)) {
    if (!key.startsWith(PREFIX) || ANNOTATIONS.includes(key)) continue
    const close = suggest(key, ANNOTATIONS)
    const hint = close ? `did you mean ${close}?` : `kk knows ${ANNOTATIONS.join(', ')}`
    throw refused(findPosition(manifest, key), `unknown annotation ${key}`, hint)
  }
}

/** Returns the position of a key: first on a line or, in a flow map, anywhere except in a comment. */
function findPosition({file, text}: ChartYaml, key: string): Position {
  const lines = text.split('\n')
  const first = lines.findIndex((line) => line.replace(/^[\s"']+/, '').startsWith(key))
  const index = first < 0 ? lines.findIndex((line) => line.split(' #', 1)[0]!.includes(key)) : first
  return index < 0
    ? {file, line: 1, column: 1}
    : {file, line: index + 1, column: lines[index]!.indexOf(key) + 1}
}

function refused({file, line, column}: Position, reason: string, hint = 'correct the annotation'): KkError {
  return new KkError('KK_CHART', `${file}:${line}:${column}: ${reason}`, {hint})
}
