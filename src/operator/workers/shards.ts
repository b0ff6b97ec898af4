import {createHash} from 'node:crypto'
import {pathPattern} from '../../base/path-pattern.ts'
import {COMMON, type ReleaseId, ROLLOUT, releaseName} from '../../release.ts'
import type {ReleaseObject} from '../crds/release.ts'

/** The shard of what no other is named for. */
export const OTHERS = 'others'

/** What a child may be named for. */
interface Sharded {
  readonly release: {readonly name: string}
  /** The section that it is a part of, where that is several releases. */
  readonly section?: string | undefined
  readonly chart: {readonly name: string}
}

/** Returns the shard of a release among those that have processes: its own, that of its section, or that of its chart. */
export function selectShard({release, section, chart}: Sharded, shards: readonly string[]): string {
  return (
    [release.name, section, chart.name].find((each) => each !== undefined && shards.includes(each)) ?? OTHERS
  )
}

interface Deployed {
  readonly chart: {readonly name: string}
  readonly desired: {readonly release: ReleaseId; readonly part?: {readonly name: string}}
}

/** Returns the charts of an environment, and those of its releases that are each a component, in its order. */
export function listShards(releases: Iterable<Deployed>) {
  const all = [...releases]
  const isComponent = ({desired: {part}}: Deployed) =>
    part !== undefined && part.name !== COMMON && part.name !== ROLLOUT
  return {
    charts: [...new Set(all.map(({chart}) => chart.name))],
    components: all.filter(isComponent).map(({desired}) => releaseName(desired.release)),
  }
}

/** Returns how many of these Releases each shard has that has any. */
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

/** Whether one of the patterns, as of a shell, fits a shard. */
export function serves(patterns: readonly string[], shard: string): boolean {
  return patterns.some((pattern) => pathPattern(pattern)?.test(shard))
}

/** Returns the name of the processes that serve the same shards. */
export function groupId(patterns: readonly string[]): string {
  return hash(['child', ...[...new Set(patterns)].sort()]).slice(0, 10)
}

/**
 * Returns which of several processes a key belongs to: rendezvous hashing, so that when one comes or goes no key moves
 * between two others.
 */
export function chooseWorker(key: string, processes: readonly string[]): string | undefined {
  const scored = processes.map((process) => ({process, score: hash([process, key])}))
  return scored.sort((a, b) => (a.score < b.score ? 1 : -1))[0]?.process
}

function hash(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}
