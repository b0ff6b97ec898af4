import {createHash} from 'node:crypto'
import {pathPattern} from '../../base/path-pattern.ts'
import {COMMON, type ReleaseId, ROLLOUT, releaseName} from '../../release.ts'
import type {ReleaseObject} from '../crds/release.ts'

/** The shard of releases without a dedicated shard. */
export const OTHERS = 'others'

/** The properties that select a shard. */
interface Sharded {
  readonly release: {readonly name: string}
  /** Its section, if the section has several releases. */
  readonly section?: string | undefined
  readonly chart: {readonly name: string}
}

/** Selects the shard of a release: its own, that of its section, that of its chart, or `others`. */
export function selectShard({release, section, chart}: Sharded, shards: readonly string[]): string {
  return (
    [release.name, section, chart.name].find((each) => each !== undefined && shards.includes(each)) ?? OTHERS
  )
}

interface Deployed {
  readonly chart: {readonly name: string}
  readonly desired: {readonly release: ReleaseId; readonly part?: {readonly name: string}}
}

/**
 * Returns the possible shards of an environment: its charts, and its releases of single components, in its
 * order.
 */
export function listShards(releases: Iterable<Deployed>) {
  const all = [...releases]
  const isComponent = ({desired: {part}}: Deployed) =>
    part !== undefined && part.name !== COMMON && part.name !== ROLLOUT
  return {
    charts: [...new Set(all.map(({chart}) => chart.name))],
    components: all.filter(isComponent).map(({desired}) => releaseName(desired.release)),
  }
}

/** Returns the number of Releases per shard, without empty shards. */
export function countByShard(
  rows: readonly Pick<ReleaseObject, 'spec'>[],
  shards: readonly string[],
): ReadonlyMap<string, number> {
  const sizes = new Map<string, number>()
  for (const {spec} of rows) {
    const shard = selectShard(spec, shards)
    sizes.set(shard, (sizes.get(shard) ?? 0) + 1)
  }
  return sizes
}

/** Returns whether a shell pattern matches the shard. */
export function serves(patterns: readonly string[], shard: string): boolean {
  return patterns.some((pattern) => pathPattern(pattern)?.test(shard))
}

/** Returns an ID of the workers that serve the same shards. */
export function groupId(patterns: readonly string[]): string {
  return hash(['child', ...[...new Set(patterns)].sort()]).slice(0, 10)
}

/**
 * Chooses the worker for a key by rendezvous hashing, so that when a worker joins or leaves, no key moves
 * between two other workers.
 */
export function chooseWorker(key: string, processes: readonly string[]): string | undefined {
  const scored = processes.map((process) => ({process, score: hash([process, key])}))
  return scored.sort((a, b) => (a.score < b.score ? 1 : -1))[0]?.process
}

function hash(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
