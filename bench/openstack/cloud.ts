import {join} from 'node:path'
import type {Graph} from '../../src/graph/graph.ts'
import {levels} from '../../src/graph/levels.ts'
import {longestPath} from '../../src/graph/longest-path.ts'
import {type ReleaseId, releaseId, releaseName} from '../../src/release.ts'
import type {CloudRelease} from './releases.ts'

const CHARTS = join(import.meta.dirname, '../../test/fixtures/charts')

export type Cloud = Readonly<Record<string, CloudRelease>>

/** The same releases, but each waits for the whole level before, as in a tool that works level by level. */
export function levelByLevel(cloud: Cloud): Cloud {
  const found = levels(graphOf(cloud)).map((level) => level.map(releaseName))
  return Object.fromEntries(
    found.flatMap((level, index) =>
      level.map((name) => [name, {requires: found[index - 1] ?? [], seconds: cloud[name]!.seconds}]),
    ),
  )
}

/** The duration of the longest chain of releases, each from its start until it is ready. */
export function longestPathSeconds(cloud: Cloud): number {
  const paths = longestPath(graphOf(cloud), (release) => cloud[releaseName(release)]!.seconds)
  return Math.max(...paths.values())
}

/**
 * The environment of a cloud: each release one Deployment whose pod is ready after its seconds have passed.
 */
export function environmentOf(name: string, cloud: Cloud): object {
  const entries = Object.entries(cloud)
  const releases = entries.map(([release, {requires}]) => [release, {chart: 'workload', requires}])
  const sections = entries.map(([release, {seconds}]) => [release, {pod: {'ready-after': `${seconds}s`}}])
  return {
    kk: {name, namespace: name, charts: [CHARTS], releases: Object.fromEntries(releases)},
    ...Object.fromEntries(sections),
  }
}

function graphOf(cloud: Cloud): Graph {
  const id = (name: string): ReleaseId => releaseId('openstack', name)
  const requirements = Object.entries(cloud).map(
    ([name, {requires}]) =>
      [
        id(name),
        requires.map((to) => ({from: id(name), to: id(to), kind: 'ready' as const, evidence: []})),
      ] as const,
  )
  return {releases: requirements.map(([release]) => release), requirements: new Map(requirements)}
}
