import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {testDirectory} from '../../support/test-directory.ts'
import {onCloud} from '../support/cloud.ts'
import {globalOfCloud} from '../support/environment.ts'
import {pushedImage} from '../support/images.ts'
import {query} from '../support/in-server.ts'
import {killPods, makeCloud} from '../support/own-cloud.ts'

let cloud: Awaited<ReturnType<typeof makeCloud>>
let name: string
let directory: string
beforeAll(async () => {
  cloud = await makeCloud('memcached', 'mariadb-server')
  name = cloud.namespace
  directory = testDirectory()
})
afterAll(async () => {
  await cloud.remove()
})

async function environment(): Promise<string> {
  const global = await globalOfCloud()
  const file = join(directory, `${name}.yaml`)
  const content = {
    kk: {namespace: name},
    global: {...global, storage: 'persistent', pod: {resources: {enabled: false}}},
    memcached: {conf: {memcached: {'memory-limit': 64}}},
    mariadb: {
      conf: {my_cnf: {mysqld: {max_connections: 150, innodb_buffer_pool_size: '64M'}}},
      storage: {size: '1Gi'},
    },
  }
  await writeFile(file, JSON.stringify(content))
  return file
}

const columns = ['--no-headers', '--output', 'custom-columns=NAME:.metadata.name']
const list = async (...words: readonly string[]) =>
  (await kubectl(['get', ...words, ...columns])).split('\n').filter(Boolean)

describe('a run in separate pods', {timeout: 1_200_000}, () => {
  it('continues in the next pod if one is killed, and is followed to its end', async () => {
    const job = ['--in-cluster', '--image', await pushedImage('kk'), '--job-namespace', name]
    const started = await onCloud(['deploy', await environment(), '--yes', '--detach', ...job])
    expect(started.exitCode, started.stderr).toBe(0)
    const run = started.stdout.trim()
    const ofRun = ['--namespace', name, '--selector', `kk.openstack.org/run=${run}`]
    await waitFor(
      async () =>
        (await list('secrets', '--namespace', name)).some((each) => each.startsWith('sh.helm.release.')) &&
        {},
      {until: 'helm has begun', seconds: 300},
    )

    const [first] = await list('pods', ...ofRun)
    await killPods(name, first!)
    const followed = await onCloud(['run', 'follow', run, '--job-namespace', name])
    // The Job ends a moment after its pod.
    const listed = await waitFor(
      async () => {
        const {stdout} = await onCloud(['run', 'list', '--namespace', name, '--output', 'json'])
        return stdout.includes('"running"') ? undefined : stdout
      },
      {until: 'the Job has ended', seconds: 60},
    )

    expect(followed.exitCode, followed.stderr).toBe(0)
    expect(followed.stderr).toMatch(/2 (installed|succeeded)/)
    expect(JSON.parse(listed)).toMatchObject({runs: [{id: run, state: 'succeeded'}]})
    expect((await list('pods', ...ofRun)).filter((pod) => pod !== first)).toHaveLength(1)
    expect(await query(name, 'mariadb-server-0', 'SELECT @@max_connections')).toEqual(['150'])
  })
})
