import {describe, expect, it} from 'vitest'
import type {ReleaseRecord} from '../../src/cluster/cluster.ts'
import {dependents} from '../../src/graph/dependents.ts'
import type {Graph} from '../../src/graph/graph.ts'
import {clusterGraph} from '../../src/plan/cluster-graph.ts'
import {OWNER_LABEL, usesLabel} from '../../src/plan/labels.ts'
import type {ReleaseId} from '../../src/release.ts'

function record(release: ReleaseId, owner: string, uses: readonly ReleaseId[]): ReleaseRecord {
  const labels = Object.fromEntries(uses.map((each) => [usesLabel(each), 'ready']))
  const secret = {name: release, uid: release, resourceVersion: '1'}
  return {release, revision: 1, status: 'deployed', labels: {...labels, [OWNER_LABEL]: owner}, secret}
}

const file: Graph = {
  releases: ['a/db', 'a/api'],
  requirements: new Map([
    ['a/db', []],
    ['a/api', [{from: 'a/api', to: 'a/db', kind: 'ready', evidence: []}]],
  ]),
}

describe('who requires whom', () => {
  it('is what the file says, whatever the cluster has', () => {
    expect(dependents(clusterGraph(file, []), ['a/db'])).toEqual(['a/api'])
  })

  it('is also what records of other environments say, through releases that the file does not have', () => {
    const records = [
      record('a/db', 'one', []),
      record('b/web', 'two', ['a/db']),
      record('c/shop', 'three', ['b/web']),
    ]

    expect(dependents(clusterGraph(file, records), ['a/db'])).toEqual(['a/api', 'b/web', 'c/shop'])
  })

  it('has an edge once that both tell, and none to what is not there', () => {
    const graph = clusterGraph(file, [record('a/api', 'one', ['a/db', 'gone/release'])])

    expect(graph.requirements.get('a/api')).toEqual([
      {from: 'a/api', to: 'a/db', kind: 'ready', evidence: []},
    ])
  })

  it('is also what payloads tell, of releases that kk did not install', () => {
    const foreign = {...record('b/wiki', 'nobody', []), labels: {}}
    const declared = [{from: 'b/wiki', to: 'a/api', kind: 'ready', evidence: []}] as const

    expect(dependents(clusterGraph(file, [foreign], declared), ['a/db'])).toEqual(['a/api', 'b/wiki'])
  })
})
