import {expect, it} from 'vitest'
import {environmentOpener, serveOperator} from '../../../src/cli/operator/serve.ts'

it.each(['', 'Nova', 'a/b'])('kk operator serve with the shard "%s" is a usage error', async (shard) => {
  const flags = {role: 'child', shards: ['keystone', shard], listen: '127.0.0.1:0'} as const

  await expect(serveOperator(flags, () => undefined)).rejects.toMatchObject({
    code: 'KK_USAGE',
    exit: 2,
    message: expect.stringMatching(/^--shards .*: expected the name of a chart/),
  })
})

it.each(['include: [/etc/passwd]', 'releases: {nova: {values: [/etc/passwd]}}'])(
  'the operator reads no file for an Environment with %s',
  async (settings) => {
    const open = environmentOpener({} as never, {helm: undefined})
    const source = {file: `kk: {${settings}}\nnova: {}\n`, overrides: undefined}

    await expect(open('production', source)).rejects.toMatchObject({
      code: 'KK_ENVIRONMENT',
      message: expect.stringMatching(/^production\.yaml:1:\d+: expected an environment in one document/),
      hint: expect.stringContaining('kk values split FILE --merged'),
    })
  },
)
