import {join} from 'node:path'
import type {Edge} from './readiness.ts'

const WORKLOADS = join(import.meta.dirname, '../../test/fixtures/charts')

/** Releases with pods, of which each requires the one before. */
export interface Chain {
  readonly edges: readonly Edge[]
  /** The environment file below this name, which is also that of its namespace. */
  file(name: string): object
}

export function chainOf(count: number): Chain {
  const links = Array.from({length: count}, (_, index) => `link-${index}`)
  const releases = links.map((link, index) => [
    link,
    {chart: 'workload', requires: links.slice(Math.max(index - 1, 0), index)},
  ])
  const sections = Object.fromEntries(links.map((link) => [link, {}]))
  return {
    edges: links.slice(1).map((from, index) => ({from, to: links[index]!})),
    file: (name) => ({
      kk: {name, namespace: name, charts: [WORKLOADS], releases: Object.fromEntries(releases)},
      ...sections,
    }),
  }
}
