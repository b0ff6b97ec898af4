import {describe, expect, it} from 'vitest'
import type {HelmProcess, LeaseView} from '../../../src/kubernetes/lease/view.ts'
import type {ReleaseRecord} from '../../../src/kubernetes/records/release-record.ts'
import {GRACE_MILLISECONDS} from '../../../src/plan/pending/evidence.ts'
import {unfinished} from '../../../src/plan/refusals.ts'
import type {ProcessState} from '../../../src/state/processes/process-place.ts'
import {waitForTurn} from '../../../src/verbs/change/wait-for-turn.ts'
import {id} from '../../graph/graph-of.ts'
import {leaseView, upgradeBy} from '../../kubernetes/lease/lease-view.ts'
import {port} from '../../kubernetes/support/port.ts'

const DEADLINE = Date.parse('2026-11-21T08:40:00Z')
const END = DEADLINE + GRACE_MILLISECONDS
const WHO = 'ann@laptop (process 10, run run-1)'

interface AtWork {
  readonly kk: ProcessState
  readonly helm?: HelmProcess
  readonly ended?: boolean
  readonly holder?: string | undefined
}

function leaseOf({kk, helm = {state: 'gone'}, ended, ...given}: AtWork): LeaseView {
  return leaseView({
    release: id('keystone'),
    holder: 'holder' in given ? given.holder : WHO,
    operation: upgradeBy('laptop', {deadline: DEADLINE, ...(ended && {ended})}),
    processes: {holder: kk, operation: {kk, helm}},
  })
}

const recordOf = (status: string) => ({release: id('keystone'), revision: 2, status}) as ReleaseRecord

interface Scene {
  /** The Lease at each look; after the last one, none. */
  readonly leases: readonly AtWork[]
  /** The last record at each plan, and at a look between; after the last one, deployed. */
  readonly statuses: readonly string[]
  readonly waits?: boolean
  /** At each look at the Lease; after the last one, the time of the deadline. */
  readonly times?: readonly number[]
}

async function scene({leases, statuses, waits = true, times = []}: Scene) {
  const [looks, left, clock] = [[...leases], [...statuses], [...times]]
  const lastRecord = async () => recordOf(left.shift() ?? 'deployed')
  const said: string[] = []
  let plans = 0
  const ending = await waitForTurn(
    {
      leases: port({
        read: async () => {
          const next = looks.shift()
          return next && leaseOf(next)
        },
        now: () => clock.shift() ?? DEADLINE,
      }),
      records: port({last: lastRecord}),
    },
    async () => {
      plans += 1
      const refusal = unfinished(await lastRecord())
      if (refusal) throw refusal
      return 'planned'
    },
    {waits, say: (line) => void said.push(line)},
  ).catch((error: Error) => error.message)
  return {ending, plans, said}
}

const REFUSED = 'openstack/keystone is pending-upgrade at revision 2'
const PENDING = 'pending-upgrade'

describe('a plan during another run', () => {
  it('is made again after the run has ended, which is logged once', async () => {
    const {ending, plans, said} = await scene({
      leases: [{kk: 'running'}, {kk: 'running', helm: {state: 'running', process: {pid: 11}}}],
      statuses: [PENDING],
    })

    expect([ending, plans]).toEqual(['planned', 2])
    expect(said).toEqual([`openstack/keystone: ${WHO} is working on it (helm upgrade): waiting for it`])
  })

  it('has a time limit if the run is on another machine', async () => {
    const {ending, said} = await scene({
      leases: [{kk: 'unseen', helm: {state: 'unseen'}}],
      statuses: [PENDING],
    })

    expect(ending).toBe('planned')
    expect(said).toEqual([expect.stringMatching(/waiting for it, until 2026-11-21T08:41:00Z at the latest$/)])
  })

  it('waits again for a run that starts in the meantime', async () => {
    const {ending, plans} = await scene({
      leases: [{kk: 'running'}, {kk: 'running', holder: undefined}, {kk: 'running'}],
      statuses: [PENDING, PENDING],
    })

    expect([ending, plans]).toEqual(['planned', 3])
  })

  it('is made again if the run ends before its Lease is read', async () => {
    expect(await scene({leases: [], statuses: [PENDING]})).toEqual({ending: 'planned', plans: 2, said: []})
  })

  it.each<[string, Scene]>([
    ['an operation without a run of kk', {leases: [], statuses: [PENDING, PENDING]}],
    ['a run that has ended', {leases: [{kk: 'running', ended: true}], statuses: [PENDING, PENDING]}],
    ['a run that is gone', {leases: [{kk: 'gone'}], statuses: [PENDING, PENDING]}],
    ['a run past its deadline', {leases: [{kk: 'unseen'}], statuses: [PENDING, PENDING], times: [END + 1]}],
    ['a run if waiting is disabled', {leases: [{kk: 'running'}], statuses: [PENDING], waits: false}],
  ])('is refused immediately for %s', async (_, given) => {
    expect(await scene(given)).toEqual({ending: REFUSED, plans: 1, said: []})
  })

  it('fails at once with another error', async () => {
    const refused = waitForTurn(
      {
        leases: port({
          read: async () => leaseOf({kk: 'running'}),
          now: () => 0,
        }),
        records: port({last: async () => undefined}),
      },
      () => Promise.reject(new Error('something else')),
      {waits: true, say: () => undefined},
    )

    await expect(refused).rejects.toThrow('something else')
  })
})
