import {expect, it} from 'vitest'
import {expectNotOperated} from '../../../src/verbs/change/start-run.ts'

it.each([
  ['of the cluster is offered the change', 'the operator', '--via operator'],
  [
    'of another cluster is paused there',
    'the operator of another cluster (its Environment is u)',
    ', where that operator is',
  ],
])('who drives by an operator %s', async (_, driver, offered) => {
  const refused = expectNotOperated({driver: async () => driver}, 'production')

  await expect(refused).rejects.toMatchObject({
    code: 'KK_OPERATED',
    hint: expect.stringContaining(offered),
  })
  await expect(refused).rejects.toMatchObject({
    hint: expect.stringContaining('kk operator pause production'),
  })
})

it('an environment that nobody drives may be changed', async () => {
  await expect(expectNotOperated({driver: async () => undefined}, 'production')).resolves.toBeUndefined()
})
