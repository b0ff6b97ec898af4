import {afterAll, beforeAll, expect, it} from 'vitest'
import {mergeValues} from '../../../src/base/merge.ts'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {cloudUp, NAMESPACE} from '../support/cloud.ts'
import {globalOfCloud} from '../support/environment.ts'
import {makeCloud} from '../support/own-cloud.ts'
import {phase} from '../support/phase.ts'
import {openstack, openstackJson, startSteadyClient} from '../support/steady-client.ts'
import {SHARED_IMAGES} from '../support/upgrade.ts'

const IMAGES = ['keystone', 'glance-api', 'cinder-api', 'cinder-scheduler', 'cinder-volume']

/** What a program of Ceph prints, run by whom keeps the cluster. */
function asKeeper(...command: readonly string[]): Promise<string> {
  const [program, ...args] = command
  const monitor = ['--conf', '/etc/ceph/ceph.conf', '--name', 'mon.', '--keyring', '/etc/ceph/mon.keyring']
  return kubectl(['exec', '--namespace', NAMESPACE, 'ceph-mon-0', '--', program!, ...monitor, ...args])
}

let own: Awaited<ReturnType<typeof makeCloud>>
beforeAll(async () => {
  await cloudUp()
  own = await makeCloud(...SHARED_IMAGES, ...IMAGES)
})
afterAll(() => own.remove())

it('a cloud stores images and volumes in an existing external Ceph, and deploys none', async () => {
  const {namespace} = own
  const inside = (command: string) => kubectl(['exec', '--namespace', namespace, ...command.split(' ')])
  const client = (command: string) => openstack(namespace, ...command.split(' '))
  const made = async (command: string) =>
    (await openstackJson<{readonly id: string}>(namespace, ...command.split(' '))).id
  const monitor = ['get', 'pod', 'ceph-mon-0', '--namespace', NAMESPACE]
  const key = async (user: string) => ({key: await asKeeper('ceph', 'auth', 'get-key', `client.${user}`)})
  const ceph = {
    host_fqdn_override: {default: await kubectl([...monitor, '--output', 'jsonpath={.status.hostIP}'])},
    auth: {glance: await key('glance'), cinder: await key('cinder')},
  }
  const global = await globalOfCloud()
  const sections = {
    // As docs/storage.md has it.
    kk: {releases: {cinder: {without: ['ceph']}}},
    global: mergeValues(global, {pod: {resources: {enabled: false}}, endpoints: {ceph_mon: ceph}}),
    ...{mariadb: {}, rabbitmq: {}, memcached: {}, keystone: {}, glance: {}},
    // Backups have an account and a pool of their own.
    cinder: {manifests: {deployment_backup: false}},
  }
  await phase('deployed', () => own.run('deploy', sections))
  await startSteadyClient(namespace, 'ask = token')

  await inside('steady-client -- dd if=/dev/urandom of=/tmp/disk bs=1M count=8')
  const image = await made('image create --disk-format raw --container-format bare --file /tmp/disk one')
  const volume = await made('volume create --size 1 --image one one')
  const status = () => client(`volume show ${volume} --format value --column status`)
  await waitFor(async () => (await status()) === 'available', {until: 'the volume is there', seconds: 180})

  const info = await inside(
    `deploy/cinder-volume --container volume -- rbd --id cinder info volumes/volume-${volume}`,
  )
  expect(info).toContain(`parent: images/${image}@snap`)
  expect(await kubectl(['get', 'pods', '--namespace', namespace, '--output', 'name'])).not.toContain('ceph')
  await client(`volume delete ${volume}`)
  const left = () => client('volume list --format value')
  await waitFor(async () => (await left()) === '', {until: 'the volume is gone', seconds: 120})
  await client(`image delete ${image}`)
}, 1_200_000)
