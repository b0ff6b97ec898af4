import {KkError} from '../base/errors.ts'
import {validate} from '../base/validate.ts'
import type {Values} from '../base/values.ts'
import {ENVIRONMENT_SCHEMA} from '../environment/schema.ts'
import {secretsApart} from '../overrides/secret-values.ts'

/** A release that is to be written into an environment file. */
export interface ImportedRelease {
  readonly name: string
  readonly namespace: string
  readonly chart: {readonly name: string; readonly version?: string}
  readonly values: Values
  /** As `kk.releases.X.requires` writes them. */
  readonly requires: readonly string[]
  /** What the chart requires by a name that is another's here. */
  readonly without?: readonly string[]
  readonly timeout?: string
  readonly protected?: boolean
  /** Sentences for comments above its section. */
  readonly notes: readonly string[]
}

/** A source of charts, as `kk.charts` writes it. */
export type ImportedSource = string | {readonly repository: string} | {readonly oci: string}

/** A cloud, as an environment file is written from it. */
export interface Imported {
  readonly name: string
  /** For people: where it was read from. */
  readonly from: string
  readonly charts: readonly ImportedSource[]
  readonly releases: readonly ImportedRelease[]
  /** A sentence for each thing that could not be known, or has no place in an environment. */
  readonly lost: readonly string[]
}

/** Returns the namespace in which most releases are; the first of several. */
export function commonNamespace(releases: readonly Pick<ImportedRelease, 'namespace'>[]): string {
  const counts = new Map<string, number>()
  for (const {namespace} of releases) counts.set(namespace, (counts.get(namespace) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 'openstack'
}

/** Returns the settings of a release in `kk.releases`, in an environment of this namespace. */
export function releaseSettings(
  {name, namespace, chart, requires, without = [], timeout, protected: isProtected}: ImportedRelease,
  common: string | undefined,
): Values {
  return {
    ...(chart.name !== name && {chart: chart.name}),
    ...(chart.version !== undefined && {version: chart.version}),
    ...(namespace !== common && {namespace}),
    ...(requires.length > 0 && {requires}),
    ...(without.length > 0 && {without}),
    ...(timeout !== undefined && {timeout}),
    ...(isProtected && {protected: true}),
  }
}

/** Throws `KK_USAGE` for a setting, such as a name or a source of charts, that no environment can have; its flag has its name. */
export function refuseOddSettings(settings: Values): void {
  const [problem] = validate(ENVIRONMENT_SCHEMA, {kk: settings})
  if (!problem) return
  const {path, expected, got} = problem
  throw new KkError('KK_USAGE', `--${path[1]}: expected ${expected}, got ${got}`, {
    hint: 'kk schema environment tells what an environment takes',
  })
}

/** Sections that are no release's. */
const RESERVED = new Set(['kk', 'global'])

/** Leaves out releases that no environment has room for, and says why; `flag` imports the others of that name. */
export function withRoom(
  releases: readonly ImportedRelease[],
  flag = '',
): {
  readonly releases: readonly ImportedRelease[]
  readonly lost: readonly string[]
} {
  const kept = new Map<string, ImportedRelease>()
  const lost: string[] = []
  for (const release of releases) {
    const {namespace, name} = release
    const reason = noRoomBecause(release, kept.get(name), flag)
    if (reason === undefined) kept.set(name, release)
    else lost.push(`${namespace}/${name} is left out: ${reason}`)
  }
  return {releases: [...kept.values()], lost}
}

/** A section has the name of its release, whatever the namespace; two have a meaning of their own. */
function noRoomBecause(
  release: ImportedRelease,
  other: ImportedRelease | undefined,
  flag: string,
): string | undefined {
  const {name, values} = release
  if (RESERVED.has(name)) return 'a section of that name is no release, so it stays with helm'
  if (other?.namespace === release.namespace)
    return 'a release of that name in that namespace came before: if it is for another cluster, it needs an environment of its own'
  if (other)
    return `${other.namespace}/${name} has the same name, so it needs an environment of its own${flag && ` (${flag})`}`
  const environment = {kk: {releases: {[name]: releaseSettings(release, undefined)}}, [name]: values}
  const [problem] = validate(ENVIRONMENT_SCHEMA, environment)
  return problem && `an environment takes ${problem.expected}, not ${problem.got}, so it stays with helm`
}

/** Returns the values of a release without what looks secret, and a sentence that names what was left out. */
export function withoutSecrets(
  name: string,
  values: Values,
): {readonly values: Values; readonly lost: readonly string[]} {
  const apart = secretsApart(values, [])
  if (apart.places.length === 0) return {values, lost: []}
  const named = apart.places.map((path) => path.join('.')).join(', ')
  return {values: apart.values, lost: [`secrets of ${name}, left out: ${named}; --show-secrets writes them`]}
}
