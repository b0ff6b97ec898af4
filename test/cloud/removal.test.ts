import {beforeAll, describe, expect, it} from 'vitest'
import {inClient, token} from './support/client.ts'
import {cloudUp, onCloud, serving, succeed} from './support/cloud.ts'
import {AIO, changedEnvironment} from './support/environment.ts'

beforeAll(cloudUp)

describe('what others use', () => {
  it('goes on though it is no longer in the file', async () => {
    const file = await changedEnvironment({without: ['glance']})

    await succeed(['deploy', file, '--yes'])

    await inClient('openstack image list')
    expect((await token()).id).toMatch(/^gAAAA/)
  })

  it('is not removed, and those who use it are named', async () => {
    const {exitCode, stderr} = await onCloud(['remove', AIO, 'mariadb', '--yes', '--confirm', 'mariadb'])

    expect(exitCode, stderr).toBe(3)
    for (const name of ['keystone', 'glance', 'placement']) expect(stderr).toContain(name)
    expect(await serving('mariadb')).toHaveLength(1)
  })

  it('answers after one that it served has gone', async () => {
    await succeed(['remove', AIO, 'glance', '--yes'])

    expect(await serving('glance')).toEqual([])
    expect((await token()).id).toMatch(/^gAAAA/)
  })
})
