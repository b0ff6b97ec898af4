import {beforeAll, describe, expect, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {client, inClient, token} from '../support/client.ts'
import {cloudUp, NAMESPACE, onCloud, succeed} from '../support/cloud.ts'
import {CLOUD, releasesOf} from '../support/environment.ts'
import {becomes} from '../support/machines.ts'
import {cloudFile} from '../support/next-release.ts'
import {phase} from '../support/phase.ts'

beforeAll(cloudUp)

describe('keystone', () => {
  it('issues a token, with a catalogue of the deployed services', async () => {
    const {id, expires} = await token()
    const catalogue = JSON.parse(await inClient('openstack catalog list --format json'))

    expect(id).toMatch(/^gAAAA/)
    expect(Date.parse(expires)).toBeGreaterThan(Date.now())
    expect(catalogue.map(({Type}: {readonly Type: string}) => Type)).toEqual(
      expect.arrayContaining(['compute', 'identity', 'image', 'network', 'placement']),
    )
  })
})

describe('glance', () => {
  it('returns an image as it was uploaded', async () => {
    const sums = await inClient(`
      directory=$(mktemp --directory); cd "$directory"
      head --bytes 20M /dev/urandom >sent
      openstack image create --disk-format raw --container-format bare --file sent compared >/dev/null
      openstack image save --file received compared
      sha256sum <sent; sha256sum <received
      openstack image delete compared; rm --recursive "$directory"
    `)

    const [sent, received] = sums.split('\n')
    expect(received).toBe(sent)
  })
})

describe('the whole cloud', () => {
  it('passes the test of each chart', async () => {
    // OpenStack's own take longer, and come last.
    const names = (await releasesOf(CLOUD)).filter((name) => name !== 'tempest')

    const said = await phase("the charts' tests", async () =>
      succeed(['test', await cloudFile(), ...names, '--output', 'json']),
    )

    expect(JSON.parse(said).releases).toHaveLength(names.length)
  })

  it('logs the way of a request through its services', async () => {
    const said = await inClient(`
      openstack --debug volume create --size 1 kk-logged 2>&1 |
        sed -n 's/.*x-openstack-request-id: \\(req-[0-9a-f-]*\\).*/\\1/Ip' | tail -n 1`)
    await becomes('volume', 'kk-logged', 'available')
    await inClient('openstack volume delete kk-logged')

    const lines = await succeed(['logs', await cloudFile(), '--request', said.trim(), '--output', 'ndjson'])

    const pods = lines
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as {readonly pod: string}).pod)
    expect(pods.at(0)).toMatch(/^cinder-api-/)
    expect(pods.at(-1)).toMatch(/^cinder-volume-/)
  })

  it('responds to kubelet probes without redirects, which would be recorded as events', async () => {
    const odd = ['get', 'events', '--namespace', NAMESPACE, '--field-selector', 'reason=ProbeWarning']

    expect(await kubectl([...odd, '--output', 'name'])).toBe('')
  })

  it('has nothing to change in another deploy', async () => {
    const {exitCode, stderr} = await phase('deployed again', async () =>
      onCloud(['deploy', await cloudFile(), '--yes']),
    )

    expect(exitCode, stderr).toBe(0)
    expect(stderr).toContain(`plan: ${(await releasesOf(CLOUD)).length} unchanged`)
    await client()
  })
})
