import {expect, it} from 'vitest'
import {serveOperator} from '../../../src/cli/operator/serve.ts'

it.each(['', 'Nova', 'a/b'])('kk operator serve with the shard "%s" is a usage error', async (shard) => {
  const flags = {role: 'child', shards: ['keystone', shard], listen: '127.0.0.1:0'} as const

  await expect(serveOperator(flags, () => undefined)).rejects.toMatchObject({
    code: 'KK_USAGE',
    exit: 2,
    message: expect.stringMatching(/^--shards .*: expected the name of a chart/),
  })
})
