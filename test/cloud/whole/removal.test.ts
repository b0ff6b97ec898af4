import {execa} from 'execa'
import {beforeAll, describe, expect, inject, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {aioEnvironment} from '../../aio/support/run-aio.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {answers, inClient, token} from '../support/client.ts'
import {cloudUp, NAMESPACE, onCloud, serving, succeed} from '../support/cloud.ts'
import {CLOUD, changedEnvironment} from '../support/environment.ts'
import {phase} from '../support/phase.ts'

beforeAll(cloudUp)

describe('what others use', () => {
  it('goes on though it is no longer in the file', async () => {
    const file = await changedEnvironment({without: ['glance']})

    await succeed(['deploy', file, '--yes'])

    await inClient('openstack image list')
    expect((await token()).id).toMatch(/^gAAAA/)
  })

  it('is not removed, and those who use it are named', async () => {
    const {exitCode, stderr} = await onCloud(['remove', CLOUD, 'mariadb', '--yes', '--confirm', 'mariadb'])

    expect(exitCode, stderr).toBe(3)
    for (const name of ['keystone', 'glance', 'placement']) expect(stderr).toContain(name)
    expect(await serving('mariadb')).toHaveLength(1)
  })

  it('answers after one that it served has gone', async () => {
    await succeed(['remove', CLOUD, 'glance', '--yes'])

    expect(await serving('glance')).toEqual([])
    expect((await token()).id).toMatch(/^gAAAA/)
  })
})

describe('kk killed in the middle of a deploy', () => {
  it('goes on with the next deploy', async () => {
    await succeed(['remove', CLOUD, 'glance', '--yes'])
    const {kk} = inject('aio')
    const deploy = execa(kk, ['deploy', CLOUD, '--yes', '--sandbox-name', 'aio'], {
      env: aioEnvironment(inject('aio')),
      extendEnv: false,
      reject: false,
    })
    await waitFor(
      async () =>
        (await kubectl(['get', 'secrets', '--namespace', NAMESPACE])).includes('sh.helm.release.v1.glance.'),
      {until: 'helm has begun with glance'},
    )
    deploy.kill('SIGKILL')
    await deploy

    await phase('deployed after the kill', () => succeed(['deploy', CLOUD, '--yes']))

    expect(await answers('openstack image list --format value')).toBe('')
  })
})
