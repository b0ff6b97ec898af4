import {expect, it} from 'vitest'
import type {Action} from '../../../src/plan/plan.ts'
import {expectNotOperated} from '../../../src/verbs/change/start-run.ts'
import {port} from '../../kubernetes/support/port.ts'

const plan = {environment: 'production', actions: []}

it.each([
  ['of the cluster is suggested to make the change', 'the operator', '--via operator'],
  [
    'of another cluster must be paused there',
    'the operator of another cluster (its Environment is u)',
    ', in the cluster of that operator',
  ],
])('a change is refused: an operator %s', async (_, driver, offered) => {
  const refused = expectNotOperated(port({driver: async () => driver}), plan)

  await expect(refused).rejects.toMatchObject({
    code: 'KK_OPERATED',
    hint: expect.stringContaining(offered),
  })
  await expect(refused).rejects.toMatchObject({
    hint: expect.stringContaining('kk operator pause production'),
  })
})

it('an environment without an operator may be changed', async () => {
  await expect(expectNotOperated(port({driver: async () => undefined}), plan)).resolves.toBeUndefined()
})

it('an environment of the operator cannot hand releases over', async () => {
  const driver = async (name: string) => (name === 'staging' ? 'the operator' : undefined)
  const actions = [{kind: 'adopt', from: 'staging'}] as unknown as readonly Action[]

  await expect(expectNotOperated(port({driver}), {...plan, actions})).rejects.toMatchObject({
    code: 'KK_OPERATED',
    message: 'staging is managed by the operator; nothing was changed',
  })
})
