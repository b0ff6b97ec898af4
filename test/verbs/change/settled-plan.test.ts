import {describe, expect, it} from 'vitest'
import type {LeaseView} from '../../../src/kubernetes/lease/view.ts'
import type {Action, Plan} from '../../../src/plan/plan.ts'
import {settled} from '../../../src/verbs/change/in-turn.ts'
import {id} from '../../graph/graph-of.ts'
import {leaseView, upgradeBy} from '../../kubernetes/lease/lease-view.ts'
import {port} from '../../kubernetes/support/port.ts'

const DEADLINE = 1_000_000

function leftoverHelmAt(name: string): LeaseView {
  return leaseView({
    release: id(name),
    operation: upgradeBy('laptop', {deadline: DEADLINE}),
    processes: {holder: 'gone', operation: {kk: 'gone', helm: {state: 'running', process: {pid: 11}}}},
  })
}

interface Scene {
  /** The helms that work on at each look at the Leases; after the last one, none. */
  readonly leftovers: readonly (readonly string[])[]
  /** The releases that each plan changes. */
  readonly changed: readonly string[]
  readonly waits?: boolean
}

async function scene({leftovers, changed, waits = true}: Scene) {
  const looks = [...leftovers]
  const said: string[] = []
  let plans = 0
  await settled(
    {
      leases: port({
        list: async () => (looks.shift() ?? []).map(leftoverHelmAt),
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
  return {plans, said}
}

describe('a plan that is to be run', () => {
  it('is made once where no helm of a dead run works', async () => {
    expect(await scene({leftovers: [], changed: ['keystone']})).toEqual({plans: 1, said: []})
  })

  it('is made again after the wait for one that still works', async () => {
    const {plans, said} = await scene({leftovers: [[], ['keystone']], changed: ['keystone']})

    expect(plans).toBe(2)
    expect(said).toEqual([expect.stringContaining('openstack/keystone: run run-1 is gone')])
  })

  it('is made again when one that worked before is gone after: it may have written meanwhile', async () => {
    expect(await scene({leftovers: [['keystone'], []], changed: ['keystone']})).toEqual({plans: 2, said: []})
  })

  it.each<[string, Scene]>([
    ['of a release that it does not change', {leftovers: [['glance'], ['glance']], changed: ['keystone']}],
    ['when nothing is to be done', {leftovers: [['keystone'], ['keystone']], changed: []}],
    ['when told not to wait', {leftovers: [['keystone']], changed: ['keystone'], waits: false}],
  ])('heeds no helm %s', async (_, given) => {
    expect(await scene(given)).toEqual({plans: 1, said: []})
  })
})
