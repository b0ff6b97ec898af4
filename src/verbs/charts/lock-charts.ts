import {asKkError, KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {
  type Lock,
  type LockDifference,
  type LockedChart,
  lockDifferences,
  lockFileOf,
  readLock,
} from '../../charts/lock-file.ts'
import type {Helm} from '../../helm/helm.ts'
import {sectionId} from '../../prepare/gathering/load-charts.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {neededImages} from '../images/needed-images.ts'

export interface LockPorts {
  readonly helm: Pick<Helm, 'template'>
  /** Resolves with the digest of an image. */
  readonly digestOf: (image: string) => Promise<string>
}

/** The current charts and images of an environment. */
export interface FoundLock {
  readonly lock: Lock
  /** The images whose digest is unknown, each with the reason. */
  readonly unresolved: readonly {readonly image: string; readonly reason: string}[]
}

/** Computes the current lock of an environment: its charts, and the images that they render. */
export async function lockNow(prepared: Prepared, {helm, digestOf}: LockPorts): Promise<FoundLock> {
  const charts = [...prepared.releases].map(([release, {chart, desired}]): [string, LockedChart] => [
    sectionId(prepared.environment, release),
    {
      chart: chart.name,
      version: chart.version,
      digest: `sha256:${chart.packageDigest ?? desired.chart.digest}`,
      ...(chart.packageDigest !== undefined && {from: chart.origin}),
    },
  ])
  const images = await mapParallel(await neededImages(prepared, helm), async ({image}) => {
    try {
      return {image, digest: await digestOf(image), reason: ''}
    } catch (error) {
      const {code, message} = asKkError(error)
      if (code !== 'KK_IMAGE') throw error
      return {image, digest: null, reason: message}
    }
  })
  return {
    lock: {
      charts: Object.fromEntries(charts.sort(([a], [b]) => (a < b ? -1 : 1))),
      images: Object.fromEntries(images.map(({image, digest}) => [image, digest])),
    },
    unresolved: images.filter(({digest}) => digest === null).map(({image, reason}) => ({image, reason})),
  }
}

/** The differences between an environment and its lock. */
export interface ComparedLock extends Pick<FoundLock, 'unresolved'> {
  readonly file: string
  readonly differences: readonly LockDifference[]
}

/** Compares an environment with its lock. Rejects with `KK_LOCKED` if it has none. */
export async function compareLock(prepared: Prepared, ports: LockPorts): Promise<ComparedLock> {
  const {environment} = prepared
  const file = lockFileOf(environment)
  const locked = await readLock(environment)
  if (!locked) throw notLocked(environment.name, file)
  const {lock, unresolved} = await lockNow(prepared, ports)
  const pinned = new Set(environment.charts.flatMap((source) => ('digest' in source ? [source.digest!] : [])))
  return {file, unresolved, differences: lockDifferences(locked, lock, pinned)}
}

/** Rejects with `KK_LOCKED`, with a line for each difference, unless an environment matches its lock. */
export async function expectLocked(prepared: Prepared, ports: LockPorts): Promise<ComparedLock> {
  const compared = await compareLock(prepared, ports)
  const {file, differences} = compared
  if (differences.length === 0) return compared
  const lines = differences.map(({what}) => `  ${what}`)
  throw new KkError(
    'KK_LOCKED',
    [`${prepared.environment.file} is not as ${file} has it:`, ...lines].join('\n'),
    {
      hint: 'nothing was changed; if that is intended: kk charts lock, then review the changes in the file',
    },
  )
}

function notLocked(name: string, file: string): KkError {
  return new KkError('KK_LOCKED', `${file} says nothing of the environment ${name}`, {
    hint: 'write it with kk charts lock',
  })
}
