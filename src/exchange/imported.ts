import {KkError} from '../base/errors.ts'
import {validate} from '../base/validate.ts'
import type {Values} from '../base/values.ts'
import {ENVIRONMENT_SCHEMA} from '../environment/schema.ts'
import {splitSecretValues} from '../overrides/secret-values.ts'

/** A release to be written into an environment file. */
export interface ImportedRelease {
  readonly name: string
  readonly namespace: string
  readonly chart: {readonly name: string; readonly version?: string}
  readonly values: Values
  /** As written in `kk.releases.X.requires`. */
  readonly requires: readonly string[]
  /** Chart requirements that are dropped because their name refers to another release here. */
  readonly without?: readonly string[]
  readonly timeout?: string
  readonly protected?: boolean
  /** Comment sentences above its section. */
  readonly notes: readonly string[]
}

/** A chart source, as written in `kk.charts`. */
export type ImportedSource = string | {readonly repository: string} | {readonly oci: string}

/** A cloud from which an environment file is written. */
export interface Imported {
  readonly name: string
  /** What it was read from, for messages. */
  readonly from: string
  readonly charts: readonly ImportedSource[]
  readonly releases: readonly ImportedRelease[]
  /** One sentence per thing that is unknown or that an environment cannot express. */
  readonly lost: readonly string[]
}

/** Returns the namespace of most releases; the first one in case of a tie. */
export function commonNamespace(releases: readonly Pick<ImportedRelease, 'namespace'>[]): string {
  const counts = new Map<string, number>()
  for (const {namespace} of releases) counts.set(namespace, (counts.get(namespace) ?? 0) + 1)
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 'openstack'
}

/** Returns the settings of a release in `kk.releases`, in an environment with this common namespace. */
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

/**
 * Throws `KK_USAGE` for a setting that no environment accepts, such as a name or chart source; its flag has
 * the same name.
 */
export function refuseOddSettings(settings: Values): void {
  const [problem] = validate(ENVIRONMENT_SCHEMA, {kk: settings})
  if (!problem) return
  const {path, expected, got} = problem
  throw new KkError('KK_USAGE', `--${path[1]}: expected ${expected}, got ${got}`, {
    hint: 'kk schema environment prints what an environment accepts',
  })
}

/** Sections that do not belong to a release. */
const RESERVED = new Set(['kk', 'global'])

/**
 * Skips releases that an environment cannot express, and returns the reasons; `flag` is the option that
 * imports the other releases of the same name.
 */
export function skipInexpressible(
  releases: readonly ImportedRelease[],
  flag = '',
): {
  readonly releases: readonly ImportedRelease[]
  readonly lost: readonly string[]
} {
  const importable = new Map<string, ImportedRelease>()
  const lost: string[] = []
  for (const release of releases) {
    const {namespace, name} = release
    const reason = skipReason(release, importable.get(name), flag)
    if (reason === undefined) importable.set(name, release)
    else lost.push(`${namespace}/${name} is skipped: ${reason}`)
  }
  return {releases: [...importable.values()], lost}
}

/** A section is named after its release, whatever its namespace; two section names are reserved. */
function skipReason(
  release: ImportedRelease,
  other: ImportedRelease | undefined,
  flag: string,
): string | undefined {
  const {name, values} = release
  if (RESERVED.has(name)) return 'a section of that name is reserved, so helm keeps managing it'
  if (other?.namespace === release.namespace)
    return 'an earlier release has that name and namespace: if it is for another cluster, it needs a separate environment'
  if (other)
    return `${other.namespace}/${name} has the same name, so it needs a separate environment${flag && ` (${flag})`}`
  const environment = {kk: {releases: {[name]: releaseSettings(release, undefined)}}, [name]: values}
  const [problem] = validate(ENVIRONMENT_SCHEMA, environment)
  return (
    problem && `an environment expects ${problem.expected}, not ${problem.got}, so helm keeps managing it`
  )
}

/**
 * Returns the values of a release without those that look secret, and a sentence that lists the omitted ones.
 */
export function withoutSecrets(
  name: string,
  values: Values,
): {readonly values: Values; readonly lost: readonly string[]} {
  const separated = splitSecretValues(values, [])
  if (separated.places.length === 0) return {values, lost: []}
  const paths = separated.places.map((path) => path.join('.')).join(', ')
  return {
    values: separated.values,
    lost: [`secrets of ${name}, omitted: ${paths}; --show-secrets writes them`],
  }
}
