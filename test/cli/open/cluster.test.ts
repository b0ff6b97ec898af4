import {expect, it} from 'vitest'
import {chooseCluster} from '../../../src/cli/open/cluster.ts'
import {readEnvironment} from '../../../src/environment/read.ts'

const belongingTo = (context: string) =>
  readEnvironment({file: 'env.yaml', text: `kk: {context: ${context}}\ndb: {}\n`, directory: '/'})

it.each([
  [{sandbox: true}, 'sandbox-kk'],
  [{'sandbox-name': 'aio'}, 'sandbox-aio'],
])('an environment that belongs to a context is not brought to the sandbox %j', async (flags, context) => {
  const chosen = chooseCluster(flags, belongingTo('production'), () => undefined)

  await expect(chosen).rejects.toMatchObject({
    code: 'KK_WRONG_CONTEXT',
    message: expect.stringContaining(
      `belongs to the context production, but the sandbox was named, whose context is ${context}`,
    ),
  })
})

it('one that belongs to the context of a sandbox is', async () => {
  const chosen = chooseCluster(
    {'sandbox-name': 'none-of-this-name'},
    belongingTo('sandbox-none-of-this-name'),
  )

  await expect(chosen).rejects.toMatchObject({code: 'KK_SANDBOX'})
})
