import {afterAll, beforeAll, expect, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {cloudUp, NAMESPACE} from '../support/cloud.ts'
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

it('a cloud of its own keeps its images and volumes in a Ceph that it is told of, and brings none', async () => {
  const {namespace} = own
  const where = [
    'get',
    'pod',
    'ceph-mon-0',
    '--namespace',
    NAMESPACE,
    '--output',
    'jsonpath={.status.hostIP}',
  ]
  const key = async (user: string) => ({key: await asKeeper('ceph', 'auth', 'get-key', `client.${user}`)})
  const settings = {
    kk: {releases: {glance: {without: ['ceph']}, cinder: {without: ['ceph']}}},
    endpoints: {
      ceph_mon: {
        host_fqdn_override: {default: await kubectl(where)},
        auth: {glance: await key('glance'), cinder: await key('cinder')},
      },
    },
  }
  const {kk, endpoints} = settings
  const sections = {
    ...{kk, mariadb: {}, rabbitmq: {}, memcached: {}, keystone: {}},
    glance: {endpoints},
    // Backups have an account and a pool of their own.
    cinder: {endpoints, manifests: {deployment_backup: false}},
  }
  await phase('deployed', () => own.run('deploy', sections))
  await startSteadyClient(namespace, 'ask = token')

  await kubectl([
    'exec',
    '--namespace',
    namespace,
    'steady-client',
    '--',
    'dd',
    'if=/dev/urandom',
    'of=/tmp/disk',
    'bs=1M',
    'count=8',
  ])
  const make = [
    'image',
    'create',
    '--disk-format',
    'raw',
    '--container-format',
    'bare',
    '--file',
    '/tmp/disk',
    'one',
  ]
  const image = await openstackJson<{readonly id: string}>(namespace, ...make)
  const volume = await openstackJson<{readonly id: string}>(
    namespace,
    'volume',
    'create',
    '--size',
    '1',
    '--image',
    'one',
    'one',
  )
  await waitFor(
    async () =>
      (await openstackJson<{readonly status: string}>(namespace, 'volume', 'show', volume.id)).status ===
      'available',
    {until: 'the volume is there', seconds: 180},
  )

  const clones = await kubectl([
    'exec',
    '--namespace',
    namespace,
    'deploy/cinder-volume',
    '--container',
    'volume',
    '--',
    ...['rbd', '--id', 'cinder', 'info', `volumes/volume-${volume.id}`],
  ])
  expect(clones).toContain(`parent: images/${image.id}@snap`)
  expect(await kubectl(['get', 'pods', '--namespace', namespace, '--output', 'name'])).not.toContain('ceph')
  await openstack(namespace, 'volume', 'delete', volume.id)
  await waitFor(async () => (await openstack(namespace, 'volume', 'list', '--format', 'value')) === '', {
    until: 'the volume is gone',
    seconds: 120,
  })
  await openstack(namespace, 'image', 'delete', image.id)
}, 1_200_000)
