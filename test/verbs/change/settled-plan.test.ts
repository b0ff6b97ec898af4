import {describe, expect, it} from 'vitest'
import type {HelmProcess, LeaseView} from '../../../src/kubernetes/lease/view.ts'
import type {Action, Plan} from '../../../src/plan/plan.ts'
import {settledPlan} from '../../../src/verbs/change/wait-for-turn.ts'
import {id} from '../../graph/graph-of.ts'
import {leaseView, upgradeBy} from '../../kubernetes/lease/lease-view.ts'
import {port} from '../../kubernetes/support/port.ts'

const DEADLINE = 1_000_000

/**
 * What a dead run has left at a release: its helm works, or has ended where the name has an exclamation mark.
 */
function leftoverHelmAt(text: string): LeaseView {
  const [name = '', ended] = text.split('!')
  const helm = ended === undefined ? {state: 'running', process: {pid: 11}} : {state: 'gone'}
  return leaseView({
    release: id(name),
    operation: upgradeBy('laptop', {deadline: DEADLINE}),
    processes: {holder: 'gone', operation: {kk: 'gone', helm: helm as HelmProcess}},
  })
}

interface Scene {
  /** The helms of dead runs at each look at the Leases; the last look is repeated. */
  readonly leftovers: readonly (readonly string[])[]
  /** The releases that each plan changes. */
  readonly changed: readonly string[]
  readonly waits?: boolean
}

async function scene({leftovers, changed, waits = true}: Scene) {
  let looks = 0
  const said: string[] = []
  let plans = 0
  await settledPlan(
    {
      leases: port({
        list: async () => (leftovers[Math.min(looks++, leftovers.length - 1)] ?? []).map(leftoverHelmAt),
        read: async () => undefined,
        now: () => 0,
      }),
      records: port({last: async () => undefined}),
    },
    async () => {
      plans += 1
      const actions = changed.map((name) => ({release: id(name), kind: 'upgrade'}) as Action)
      return {plan: {actions} as unknown as Plan}
    },
    {waits, say: (line) => void said.push(line)},
  )
  return {plans, said, looks}
}

describe('a plan to run', () => {
  it('is made once when no run was killed', async () => {
    expect(await scene({leftovers: [], changed: ['keystone']})).toEqual({plans: 1, said: [], looks: 1})
  })

  it('is made without reading Leases when nothing changes', async () => {
    expect(await scene({leftovers: [['keystone']], changed: []})).toEqual({plans: 1, said: [], looks: 0})
  })

  it('is made again after waiting for a helm of a killed run that still runs', async () => {
    const {plans, said} = await scene({leftovers: [['keystone'], ['keystone!']], changed: ['keystone']})

    expect(plans).toBe(2)
    expect(said).toEqual([expect.stringContaining('openstack/keystone: run run-1 is gone')])
  })

  it('is made again after waiting for a helm whose Lease is gone', async () => {
    expect(await scene({leftovers: [['keystone'], []], changed: ['keystone']})).toMatchObject({plans: 2})
  })

  it('is made again once after a helm has ended, because it may have written after the plan', async () => {
    expect(await scene({leftovers: [['keystone!']], changed: ['keystone']})).toMatchObject({
      plans: 2,
      said: [],
    })
  })

  it('is made again for another helm that has ended since', async () => {
    const leftovers = [['keystone!'], ['keystone!', 'nova!']]

    expect(await scene({leftovers, changed: ['keystone', 'nova']})).toMatchObject({plans: 3, said: []})
  })

  it.each<[string, Scene]>([
    ['of a release that it does not change', {leftovers: [['glance']], changed: ['keystone']}],
    ['if waiting is disabled', {leftovers: [['keystone']], changed: ['keystone'], waits: false}],
  ])('ignores a helm %s', async (_, given) => {
    expect(await scene(given)).toMatchObject({plans: 1, said: []})
  })
})
