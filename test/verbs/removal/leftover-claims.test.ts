import {describe, expect, it} from 'vitest'
import type {HeldLease, Leases} from '../../../src/kubernetes/lease/leases.ts'
import type {Claim, LiveObjects} from '../../../src/kubernetes/objects/live-objects.ts'
import type {Records} from '../../../src/kubernetes/records/records.ts'
import type {ReleaseRecord} from '../../../src/kubernetes/records/release-record.ts'
import type {RunRecord, RunRelease} from '../../../src/kubernetes/records/runs.ts'
import {deleteLeftoverClaims, leftoverClaims} from '../../../src/verbs/removal/leftover-claims.ts'
import {id} from '../../graph/graph-of.ts'
import {port} from '../../kubernetes/support/port.ts'
import {runRecord, runRelease} from '../../kubernetes/support/run-record.ts'

const DB = id('db')
const claim = (name: string, uid: string): Claim => ({namespace: 'openstack', name, uid, labels: {}})

function removal(outcome: RunRelease['outcome'], uids: readonly string[]): RunRecord {
  const claims = uids.map((uid) => ({namespace: 'openstack', name: 'data-db-0', uid}))
  const releases = [runRelease('db', {kind: 'remove', outcome, claims})]
  return runRecord({id: 'run-1', scope: {names: ['db'], install: false}, releases})
}

interface Scene {
  readonly runs: readonly RunRecord[]
  readonly live?: readonly Claim[]
  readonly isThere?: boolean
}

async function found({runs, live = [claim('data-db-0', 'u1')], isThere = false}: Scene) {
  const cluster = {
    runs: {list: async () => runs} as never,
    live: port<LiveObjects>({claims: async () => live}),
  }
  return leftoverClaims(cluster, 'all-in-one', () => !isThere)
}

describe('claims that a removal has left', () => {
  it('are those that it should have deleted after its release', async () => {
    expect(await found({runs: [removal('running', ['u1'])]})).toEqual([
      {...claim('data-db-0', 'u1'), release: DB, run: 'run-1', names: ['db']},
    ])
  })

  it('are returned once, even if several runs should have deleted them', async () => {
    expect(await found({runs: [removal('failed', ['u1']), removal('running', ['u1'])]})).toHaveLength(1)
  })

  it.each<[string, Scene]>([
    ['of the same name that were re-created', {runs: [removal('running', ['u0'])]}],
    ['whose deletion was not confirmed', {runs: [removal('running', [])]}],
    ['of a removal that has ended', {runs: [removal('succeeded', ['u1'])]}],
    ['of an installed release', {runs: [removal('running', ['u1'])], isThere: true}],
    ['that are gone', {runs: [removal('running', ['u1'])], live: []}],
  ])('exclude those %s', async (_, given) => {
    expect(await found(given)).toEqual([])
  })
})

describe('the deletion of leftover claims', () => {
  async function deleting(record: ReleaseRecord | undefined) {
    const done: string[] = []
    const lease = {
      annotate: async () => void done.push('annotate'),
      release: async () => void done.push('give back'),
    } as unknown as HeldLease
    const cluster = {
      leases: port<Leases>({
        hold: async () => {
          done.push('hold')
          return lease
        },
      }),
      records: port<Records>({last: async () => record}),
      live: port<LiveObjects>({deleteClaim: async ({name}) => void done.push(`delete ${name}`)}),
    }
    const left = {...claim('data-db-0', 'u1'), release: DB, run: 'run-1', names: ['db']}
    const options = {holder: 'ada', patience: 0, onHeld: () => undefined}
    const code = await deleteLeftoverClaims(cluster, [left], options).catch(
      (error: {code: string}) => error.code,
    )
    return {done, code}
  }

  it('takes the Lease of their release', async () => {
    const {done} = await deleting(undefined)

    expect(done).toEqual(['hold', 'delete data-db-0', 'annotate', 'give back'])
  })

  it('is refused when the release is installed again', async () => {
    const {done, code} = await deleting({release: DB} as ReleaseRecord)

    expect(code).toBe('KK_RACED')
    expect(done).toEqual(['hold', 'give back'])
  })
})
