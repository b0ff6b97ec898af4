import {execa} from 'execa'
import {afterAll, beforeAll, expect, inject, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {aioEnvironment} from '../../aio/support/run-aio.ts'
import {blocksOf, readPages} from '../../docs/support/pages.ts'
import {openstack} from '../support/client.ts'
import {cloudUp, NAMESPACE} from '../support/cloud.ts'
import {ROOT} from '../support/images.ts'
import {machine, removeMachine} from '../support/machines.ts'

beforeAll(async () => {
  await cloudUp()
  await machine()
  await forget()
})
afterAll(() => forget())

/** Takes away what the pages make. */
async function forget(): Promise<void> {
  await kubectl(['delete', 'pod', 'my-client', '--namespace', NAMESPACE, '--ignore-not-found', '--now'])
  await removeMachine('second')
}

/** Runs the lines of a page that need the node, as they stand there; resolves with what they print. */
async function follow(page: string, blocks: number): Promise<string> {
  const script = blocksOf(readPages().find(({path}) => path === page)!).filter(({info}) => info === 'sh aio')
  const {exitCode, all} = await execa('bash', ['-euxc', script.map(({text}) => text).join('\n')], {
    cwd: ROOT,
    // The images that this machine has built are known in the cache of whoever runs the tests.
    env: {...process.env, ...aioEnvironment(inject('aio')), HOME: process.env['HOME']},
    stdin: 'ignore',
    reject: false,
    all: true,
  })
  expect(exitCode, all).toBe(0)
  expect(script).toHaveLength(blocks)
  return all
}

it('the commands in docs/all-in-one.md work verbatim', async () => {
  expect(await follow('docs/all-in-one.md', 4)).toMatch(/\| id +\| gAAAA/)
})

it('the commands in docs/cloud.md start another virtual machine, with a floating IP', async () => {
  await follow('docs/cloud.md', 1)

  const [port] = await openstack<readonly [{readonly ID: string}]>('port list --server second')
  expect(await openstack<readonly unknown[]>(`floating ip list --port ${port.ID}`)).toHaveLength(1)
})

it('the commands in docs/storage.md inspect Ceph', async () => {
  expect(await follow('docs/storage.md', 1)).toContain('HEALTH_OK')
})
