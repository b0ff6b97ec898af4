import {execa} from 'execa'
import {beforeAll, expect, inject, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {aioEnvironment} from '../../aio/support/run-aio.ts'
import {blocksOf, readPages} from '../../docs/support/pages.ts'
import {cloudUp, NAMESPACE} from '../support/cloud.ts'
import {ROOT} from '../support/images.ts'

beforeAll(cloudUp)

it('the lines of docs/all-in-one.md work as they stand there', async () => {
  const page = readPages().find(({path}) => path === 'docs/all-in-one.md')!
  const script = blocksOf(page).filter(({info}) => info === 'sh aio')
  await kubectl(['delete', 'pod', 'my-client', '--namespace', NAMESPACE, '--ignore-not-found', '--now'])

  const lines = script.map(({text}) => text).join('\n')
  const {exitCode, all} = await execa('bash', ['-euxc', lines], {
    cwd: ROOT,
    // The images that this machine has built are known in the cache of whoever runs the tests.
    env: {...process.env, ...aioEnvironment(inject('aio')), HOME: process.env['HOME']},
    stdin: 'ignore',
    reject: false,
    all: true,
  })

  expect(exitCode, all).toBe(0)
  expect(script).toHaveLength(4)
  expect(all).toMatch(/\| id +\| gAAAA/)
})
