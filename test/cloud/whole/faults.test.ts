import {beforeAll, describe, expect, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {answers, inClient, token} from '../support/client.ts'
import {cloudUp, NAMESPACE, onCloud, succeed} from '../support/cloud.ts'
import {CLOUD, changedEnvironment} from '../support/environment.ts'
import {phase} from '../support/phase.ts'

beforeAll(cloudUp)

describe('mariadb: a database whose pod is deleted', () => {
  it('returns with its data, and the services reconnect automatically', async () => {
    await inClient('openstack project create --or-show survivor >/dev/null')

    await kubectl(['delete', 'pod', 'mariadb-server-0', '--namespace', NAMESPACE])

    await phase('recovered from the loss of the database', async () => {
      await answers('openstack token issue')
      await answers('openstack image list')
    })
    expect(await answers('openstack project show survivor --format value --column name')).toBe('survivor')
    await inClient('openstack project delete survivor')
  })
})

describe('a wrong database password', () => {
  it('is reported with the pod, the container and its last output, within the deadline', async () => {
    await succeed(['remove', CLOUD, 'heat', '--yes'])
    const auth = {admin: {password: 'not-the-one'}}
    const file = await changedEnvironment({
      values: {
        kk: {releases: {heat: {timeout: '40s'}}},
        heat: {endpoints: {oslo_db: {auth}}},
      },
    })

    const {exitCode, stdout, stderr} = await phase('a wrong password told', () =>
      onCloud(['deploy', file, '--yes']),
    )
    const said = `${stdout}\n${stderr}`

    expect(exitCode, said).toBe(1)
    expect(said).toMatch(/pod \S*heat-db-create\S*/)
    expect(said).toContain('Access denied for user')
    expect(said).not.toContain('not-the-one')

    await phase('mended', () => succeed(['deploy', CLOUD, '--yes']))
    expect((await token()).id).toMatch(/^gAAAA/)
  })
})
