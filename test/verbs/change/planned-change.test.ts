import {describe, expect, it} from 'vitest'
import type {Cluster} from '../../../src/kubernetes/cluster.ts'
import {builtInPlugins} from '../../../src/overrides/system/plugins.ts'
import type {Prepared} from '../../../src/prepare/prepare.ts'
import {planChange} from '../../../src/verbs/change/planned-change.ts'
import {observeCluster} from '../../../src/verbs/plan.ts'
import {port} from '../../kubernetes/support/port.ts'

/** An environment without releases. */
const PREPARED = {
  environment: {name: 'lab', file: 'lab.yaml', features: [], sections: new Map(), releases: new Map()},
  graph: {releases: [], requirements: new Map()},
  releases: new Map(),
  plugins: builtInPlugins(),
} as unknown as Prepared
const SUPPLIED = {planned: PREPARED, settled: PREPARED, missing: []}
const TURN = {scope: {names: [], install: true}, waits: true, say: () => undefined}

/** A cluster that notes what it is asked; nothing else can be asked. */
function noting(asked: string[]): Cluster {
  return {
    context: 'lab',
    server: 'https://lab',
    apiServer: port({
      identity: async () => {
        asked.push('identity')
        return {uid: 'uid', version: 'v1.36.0'}
      },
    }),
    records: port({
      revisions: async () => {
        asked.push('revisions')
        return []
      },
    }),
  } as unknown as Cluster
}

describe('a plan with nothing to do', () => {
  it('requests the identity of the cluster and the revisions at the same time, and no Lease', async () => {
    const asked: string[] = []

    const seen = observeCluster(noting(asked), PREPARED)

    expect(asked).toEqual(['identity', 'revisions'])
    expect((await planChange(SUPPLIED, noting([]), {...TURN, seen})).plan.cluster).toMatchObject({uid: 'uid'})
  })

  it('requests neither identity nor revisions if both were requested before', async () => {
    const [before, asked]: string[][] = [[], []]
    const seen = observeCluster(noting(before!), PREPARED)

    await planChange(SUPPLIED, noting(asked!), {...TURN, seen})
    expect(asked).toEqual([])

    await planChange(SUPPLIED, noting(asked!), TURN)
    expect(asked).toEqual(['identity', 'revisions'])
  })
})
