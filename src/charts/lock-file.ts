import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {KkError} from '../base/errors.ts'
import {isMap, type Values} from '../base/values.ts'
import type {Environment, ReleaseSettings} from '../environment/environment.ts'
import {withoutCredentials} from '../helm/package-url.ts'
import {type ReleaseId, releaseName} from '../release.ts'
import {writeAtomically} from '../state/files/write-atomically.ts'
import {dumpYaml} from '../yaml/dump.ts'
import {readYaml} from '../yaml/yaml.ts'
import {satisfiesConstraint} from './version.ts'

/** The locked chart of a release. */
export interface LockedChart {
  readonly chart: string
  readonly version: string
  /** `sha256:…`: of the fetched package, or of the files of the chart with its libraries. */
  readonly digest: string
  /** The repository or registry of the package; absent for a directory and for kk's own charts. */
  readonly from?: string
}

/** The charts and images of an environment. */
export interface Lock {
  /** The charts by release: `openstack/keystone`. */
  readonly charts: Readonly<Record<string, LockedChart>>
  /** The digest of each image by its reference; null if it could not be resolved. */
  readonly images: Readonly<Record<string, string | null>>
}

const NAME = 'kk.lock'

const HEAD = '# Written by kk charts lock: what the environments of this directory are made of.\n'

/** Returns the path of the lock next to an environment file. Throws `KK_USAGE` for standard input. */
export function lockFileOf({file, directory}: Pick<Environment, 'file' | 'directory'>): string {
  if (file !== '-') return join(directory, NAME)
  throw new KkError('KK_USAGE', `an environment on standard input has no ${NAME} next to it`, {
    hint: 'name the environment file',
  })
}

/** Returns the lock of an environment; undefined without one. Rejects with `KK_YAML` and `KK_FILE`. */
export async function readLock(environment: EnvironmentPlace): Promise<Lock | undefined> {
  const file = lockFileOf(environment)
  return (await readLocks(file))[environment.name]
}

type EnvironmentPlace = Pick<Environment, 'file' | 'directory' | 'name'>

/**
 * Writes the lock; keeps other environments, and digests that cannot be resolved now. Rejects as `readLock`.
 */
export async function writeLock(environment: EnvironmentPlace, lock: Lock): Promise<string> {
  const file = lockFileOf(environment)
  const before = await readLocks(file)
  const previous = before[environment.name]?.images ?? {}
  const images = Object.entries(lock.images).map(([image, digest]) => [
    image,
    digest ?? previous[image] ?? null,
  ])
  const environments = {...before, [environment.name]: {...lock, images: Object.fromEntries(images)}}
  await writeAtomically(file, HEAD + dumpYaml({environments}, {sortKeys: true}))
  return file
}

async function readLocks(file: string): Promise<Readonly<Record<string, Lock>>> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return {}
  const content = readYaml(text, {file})
  if (isMap(content) && isMap(content.environments) && Object.values(content.environments).every(isLock))
    return content.environments as Readonly<Record<string, Lock>>
  throw new KkError(
    'KK_FILE',
    `${file}: expected charts and images of environments, as kk charts lock writes them`,
    {hint: 'take it from the history of your repository, or remove it and run kk charts lock again'},
  )
}

function isLock(value: unknown): value is Values {
  if (!isMap(value) || !isMap(value.charts) || !isMap(value.images)) return false
  const isText = (each: unknown) => typeof each === 'string'
  return (
    Object.values(value.charts).every(
      (each) => isMap(each) && [each.chart, each.version, each.digest, each.from ?? ''].every(isText),
    ) && Object.values(value.images).every((each) => each === null || isText(each))
  )
}

/**
 * Returns the environment with the locked versions of charts from repositories and registries, so that a
 * newer one in the stated range is not used. Sources that the file pins by a digest are unchanged.
 */
export function withLockedVersions(environment: Environment, {charts}: Lock): Environment {
  if (!environment.charts.some((source) => 'url' in source && source.digest === undefined)) return environment
  const releases = new Map(environment.releases)
  for (const [release, {chart, version, from}] of Object.entries(charts)) {
    const name = releaseName(release as ReleaseId)
    const settings: ReleaseSettings = releases.get(name) ?? {requires: [], without: []}
    const isOther = (settings.chart ?? name) !== chart
    const ranges = settings.version === undefined ? rangesAt(environment, from) : [settings.version]
    const isInside = ranges.some((range) => range === undefined || satisfiesConstraint(version, range))
    if (from !== undefined && !isOther && isInside) releases.set(name, {...settings, version})
  }
  return {...environment, releases}
}

/**
 * Returns the version ranges that the environment states for a source, or for all sources if it has been
 * replaced, as by a mirror.
 */
function rangesAt({charts}: Environment, from: string | undefined): readonly (string | undefined)[] {
  const remote = charts.filter((source) => 'url' in source)
  const same = remote.filter(({url}) => withoutCredentials(url) === from)
  return (same.length > 0 ? same : remote).map(({version}) => version)
}

/** A difference between an environment and its lock. */
export interface LockDifference {
  readonly kind: 'chart' | 'image'
  /** The release, or the reference of the image. */
  readonly name: string
  readonly locked?: string
  readonly found?: string
  /** For people. */
  readonly what: string
}

/**
 * Returns the differences, charts first, each by name. The digest of an image is compared if both are known.
 * `pinned` are digests of packages that the environment file itself states: they win over the lock.
 */
export function lockDifferences(
  locked: Lock,
  current: Lock,
  pinned: ReadonlySet<string>,
): readonly LockDifference[] {
  const charts = allNames(locked.charts, current.charts).flatMap((name): readonly LockDifference[] => {
    const [before, now] = [locked.charts[name], current.charts[name]]
    if (now && pinned.has(now.digest)) return []
    const what = chartDifference(before, now)
    if (what === undefined) return []
    return [{kind: 'chart', name, ...digests(before?.digest, now?.digest), what: `${name}: ${what}`}]
  })
  const images = allNames(locked.images, current.images).flatMap((name): readonly LockDifference[] => {
    const [before, now] = [locked.images[name], current.images[name]]
    const what = imageDifference(before, now)
    return what === undefined
      ? []
      : [{kind: 'image', name, ...digests(before, now), what: `${name}: ${what}`}]
  })
  return [...charts, ...images]
}

function allNames(one: object, other: object): readonly string[] {
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].sort()
}

function digests(locked?: string | null, found?: string | null): Pick<LockDifference, 'locked' | 'found'> {
  return {...(locked && {locked}), ...(found && {found})}
}

function chartDifference(before: LockedChart | undefined, now: LockedChart | undefined): string | undefined {
  if (!now) return 'is locked, but the environment does not have it'
  if (!before) return `${chartText(now)} is not locked`
  if (chartText(before) !== chartText(now)) return `${chartText(before)} is locked, not ${chartText(now)}`
  if (before.digest === now.digest) return undefined
  return `${chartText(now)} has other content: ${before.digest} is locked, not ${now.digest}`
}

function chartText({chart, version}: LockedChart): string {
  return `${chart} ${version}`
}

function imageDifference(before?: string | null, now?: string | null): string | undefined {
  if (now === undefined) return 'is locked, but nothing uses it'
  if (before === undefined) return 'is not locked'
  if (before === null || now === null || before === now) return undefined
  return `${before} is locked, not ${now}`
}
