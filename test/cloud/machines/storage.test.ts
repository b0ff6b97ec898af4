import {beforeAll, describe, expect, it} from 'vitest'
import {kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {NAMESPACE} from '../support/cloud.ts'

const ADMIN = [
  ...['OS_AUTH_URL=http://keystone-api:5000/v3', 'OS_USERNAME=admin', 'OS_PASSWORD=dev-admin'],
  ...[
    'OS_PROJECT_NAME=admin',
    'OS_USER_DOMAIN_NAME=Default',
    'OS_PROJECT_DOMAIN_NAME=Default',
    'OS_INTERFACE=internal',
  ],
]

/** What a script prints where the clients of all services are, as the administrator; rejects when it fails. */
function openstack(script: string): Promise<string> {
  return kubectl([
    ...['exec', '--namespace', NAMESPACE, 'deployment/heat-engine', '--container', 'engine'],
    ...['--', 'env', ...ADMIN, 'bash', '-ec', script],
  ])
}

/** What Ceph says to a monitor. */
function ceph(command: string): Promise<string> {
  const monitor = ['--name', 'mon.', '--keyring', '/etc/ceph/mon.keyring']
  return kubectl([
    ...['exec', '--namespace', NAMESPACE, 'ceph-mon-0', '--container', 'mon', '--'],
    ...['ceph', ...monitor, ...command.split(' ')],
  ])
}

/** Waits until a resource has a status; rejects where it is an error. */
async function becomes(kind: string, name: string, status: string): Promise<void> {
  const show = `openstack ${kind} show ${name} --format value --column status`
  const ended = await waitFor(
    async () => {
      const now = await openstack(show)
      return (now === status || now.startsWith('error')) && {now}
    },
    {until: `${kind} ${name} is ${status}`, seconds: 300},
  )
  expect(ended.now, `${kind} ${name}`).toBe(status)
}

beforeAll(() => openstack('openstack token issue >/dev/null'))

describe('volumes', () => {
  it('are made, kept in a snapshot, backed up and restored, and made of an image', async () => {
    await openstack(`
      head --bytes 8M /dev/urandom >/tmp/sent
      openstack image create --disk-format raw --container-format bare --file /tmp/sent kk-storage >/dev/null
      openstack volume create --size 1 --image kk-storage kk-storage >/dev/null`)
    await becomes('volume', 'kk-storage', 'available')
    await openstack('openstack volume snapshot create --volume kk-storage kk-storage >/dev/null')
    await becomes('volume snapshot', 'kk-storage', 'available')
    await openstack('openstack volume backup create --name kk-storage kk-storage >/dev/null')
    await becomes('volume backup', 'kk-storage', 'available')
    await openstack('openstack volume create --size 1 kk-restored >/dev/null')
    await becomes('volume', 'kk-restored', 'available')
    await openstack('openstack volume backup restore --force kk-storage kk-restored >/dev/null')
    await becomes('volume', 'kk-restored', 'available')

    await openstack('openstack image create --volume kk-restored --disk-format raw kk-restored >/dev/null')
    await becomes('image', 'kk-restored', 'active')
    const sums = await openstack(`
      openstack image save --file /tmp/received kk-restored
      head --bytes 8M /tmp/received | sha256sum; sha256sum </tmp/sent`)

    const [received, sent] = sums.split('\n')
    expect(received).toBe(sent)
  })

  it('are there after each pod of Ceph was deleted', async () => {
    const pods = ['ceph-mon-0', 'ceph-mgr-0', 'ceph-osd-0']

    await kubectl(['delete', 'pod', '--namespace', NAMESPACE, ...pods])
    for (const pod of pods)
      await kubectl(['wait', `pod/${pod}`, '--namespace', NAMESPACE, '--for=condition=Ready', '--timeout=5m'])

    await waitFor(async () => (await ceph('health')).startsWith('HEALTH_OK') && {}, {
      until: 'Ceph is healthy',
      seconds: 300,
    })
    await openstack(`
      openstack image save --file /tmp/again kk-restored
      cmp <(head --bytes 8M /tmp/again) /tmp/sent`)
  })

  it('leave nothing behind when they are deleted', async () => {
    await openstack(`
      openstack image delete kk-restored
      openstack volume delete kk-restored
      openstack volume snapshot delete kk-storage
      openstack volume backup delete kk-storage`)
    await waitFor(
      async () =>
        (await openstack(
          'openstack volume snapshot list --format value; openstack volume backup list --format value',
        )) === '' && {},
      {until: 'snapshot and backup are gone', seconds: 120},
    )
    await openstack('openstack volume delete kk-storage')
    await waitFor(
      async () =>
        !(await openstack('openstack volume list --format value --column Name')).includes('kk-') && {},
      {until: 'the volumes are gone', seconds: 120},
    )

    await openstack('openstack image delete kk-storage')
    expect(await openstack('openstack image list --format value --column Name')).not.toContain('kk-')
  })
})

describe('a stack', () => {
  const template = (size: number) => `cat >/tmp/stack.yaml <<YAML
heat_template_version: 2021-04-16
resources:
  volume: {type: OS::Cinder::Volume, properties: {name: kk-stack, size: ${size}}}
outputs:
  volume: {value: {get_resource: volume}}
YAML
`

  it('with a volume is created, updated, and deleted with nothing left', async () => {
    await openstack(
      `${template(1)}openstack stack create --wait --template /tmp/stack.yaml kk-stack >/dev/null`,
    )
    const first = await openstack('openstack volume show kk-stack --format value --column size --column id')
    await openstack(
      `${template(2)}openstack stack update --wait --template /tmp/stack.yaml kk-stack >/dev/null`,
    )
    const second = await openstack('openstack volume show kk-stack --format value --column size --column id')
    await openstack('openstack stack delete --yes --wait kk-stack')

    expect(first.split('\n')).toContain('1')
    expect(second.split('\n')).toContain('2')
    expect(await openstack('openstack stack list --format value')).not.toContain('kk-stack')
    expect(await openstack('openstack volume list --format value --column Name')).not.toContain('kk-stack')
  })
})
