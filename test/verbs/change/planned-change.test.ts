import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {readEnvironment} from '../../../src/environment/read.ts'
import type {Cluster} from '../../../src/kubernetes/cluster.ts'
import {builtInPlugins} from '../../../src/overrides/system/plugins.ts'
import {type Prepared, prepare} from '../../../src/prepare/prepare.ts'
import {openOptionLists} from '../../../src/prepare/settings/option-lists.ts'
import {planChange} from '../../../src/verbs/change/planned-change.ts'
import {observeCluster} from '../../../src/verbs/plan.ts'
import {port} from '../../kubernetes/support/port.ts'

const ROOT = join(import.meta.dirname, '../../..')

/** An environment without releases. */
const PREPARED = {
  environment: {name: 'lab', file: 'lab.yaml', features: [], sections: new Map(), releases: new Map()},
  graph: {releases: [], requirements: new Map()},
  releases: new Map(),
  plugins: builtInPlugins(),
} as unknown as Prepared
const SUPPLIED = {planned: PREPARED, final: PREPARED, missing: []}
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

it('a plan is refused for an option that the service does not have, before the cluster is asked', async () => {
  const asked: string[] = []
  const text = 'keystone: {conf: {keystone: {token: {expiraton: 3600}}}}\n'
  const planned = await prepare({
    environment: readEnvironment({file: 'lab.yaml', text, directory: ROOT}),
    finding: {builtIn: async () => join(ROOT, 'charts'), cache: '/nowhere', packages: {} as never},
    values: [],
    sets: [],
    optionLists: openOptionLists(async () => ROOT),
  })

  const plan = planChange({planned, final: planned, missing: []}, noting(asked), TURN)

  await expect(plan).rejects.toMatchObject({
    code: 'KK_VALUES',
    message: expect.stringContaining(
      'lab.yaml:1:38: conf.keystone.token.expiraton: no such option: did you mean "expiration"?',
    ),
  })
  expect(asked).toEqual([])
})
