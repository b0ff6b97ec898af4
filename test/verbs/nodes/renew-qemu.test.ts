import {describe, expect, it} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import {palette} from '../../../src/report/colour.ts'
import {renewedText, renewPlanText} from '../../../src/report/roll-text.ts'
import {viewText} from '../../../src/report/text/view.ts'
import {planRenewQemu, renewQemu} from '../../../src/verbs/nodes/renew-qemu.ts'
import {podOf} from '../../audit/support/answering-pods.ts'
import {ENVIRONMENT, type FakeCloud, fakeCloud, host, portsOf, server} from './support/cloud.ts'

const FILES = new URL('../../..', import.meta.url).pathname
const plain = palette(0)

/** A cloud whose instances run on node a with QEMU 1 until they move; the nodes have QEMU 2. */
function ports(cloud: FakeCloud, {isLibvirtDown = false} = {}) {
  const guests = (node: string) =>
    cloud.servers
      .filter(({host, status}) => host === node && status === 'ACTIVE')
      .map(({id}) => ({uuid: id, name: id, version: '1', isCurrent: !startedWith1.has(id) || node !== 'a'}))
  const startedWith1 = new Set(cloud.servers.map(({id}) => id))
  const pods = ['a', 'b'].map((node) =>
    podOf('libvirt', 'libvirt', {name: node, node, isRunning: !(isLibvirtDown && node === 'b')}),
  )
  return {
    ...portsOf(cloud),
    exec: {
      pods: async () => pods,
      run: async ({pod}: {readonly pod: string}) => {
        return {code: 0, stdout: JSON.stringify({version: '2', guests: guests(pod)}), stderr: ''}
      },
    },
    records: {
      list: async () => [{release: 'openstack/libvirt', status: 'deployed', labels: {}}],
    } as never,
  }
}

const options = {
  ...{environment: ENVIRONMENT, files: FILES, names: [], deadline: Date.now() + 600_000},
  concurrency: 2,
}

describe('kk node roll --old-qemu', () => {
  it('moves the instances with an old QEMU, and no others', async () => {
    const cloud = fakeCloud({servers: [server('web'), server('new', {host: 'b'})]})
    const cluster = ports(cloud)

    const plan = await planRenewQemu(cluster, options)
    const renewed = await renewQemu(cluster, {...options, plan, newDeadline: () => Date.now() + 60_000})

    expect(viewText(renewPlanText(plan, plain))).toContain('web  on a  1; the node has 2')
    expect(cloud.done).toEqual(['live web'])
    expect(renewed.old).toEqual([])
    expect(viewText(renewedText(renewed, plain))).toBe(
      '1 instance moved\nevery instance runs the QEMU of its node\n',
    )
  })

  it('waits for a host that nova has disabled itself while libvirt was upgraded', async () => {
    const disabled = host('b', {isEnabled: false, reason: 'AUTO: Connection to libvirt lost: 1'})
    const cloud = fakeCloud({servers: [server('web')], hosts: [host('a'), disabled]})
    const said: string[] = []
    const onProgress = (line: string) => {
      said.push(line)
      cloud.hosts = [host('a'), host('b')]
    }
    const cluster = ports(cloud)

    const plan = await planRenewQemu(cluster, {...options, onProgress})
    await renewQemu(cluster, {...options, plan, newDeadline: () => Date.now() + 60_000})

    expect(said).toEqual(['waiting for nova to enable b, which it has disabled itself'])
    expect(plan.nodes[0]?.stays).toEqual([])
    expect(cloud.done).toEqual(['live web'])
  })

  it('names those that stay, with their owners', async () => {
    const tagged = (tag: string) => ({tags: [`kk:maintenance=${tag}`]})
    const cloud = fakeCloud({servers: [server('db', tagged('never')), server('job', tagged('stop'))]})
    const cluster = ports(cloud)

    const plan = await planRenewQemu(cluster, options)
    const renewed = await renewQemu(cluster, {...options, plan, newDeadline: () => Date.now() + 60_000})

    const text = viewText(renewPlanText(plan, plain))
    expect(text).toContain('instance db (db; project shop, user ann) stays: its tag says so')
    expect(text).toContain(
      'instance job (job; project shop, user ann) stays: its tag says kk:maintenance=stop',
    )
    expect(cloud.done).toEqual([])
    expect(renewed.old.map((each) => each.server)).toEqual(['db', 'job'])
    expect(viewText(renewedText(renewed, plain))).toContain('2 instances still with another QEMU')
  })

  it('names the nodes whose libvirt cannot be asked, and moves the instances of the others', async () => {
    const cluster = ports(fakeCloud({servers: [server('web')]}), {isLibvirtDown: true})

    const plan = await planRenewQemu(cluster, options)
    const renewed = await renewQemu(cluster, {...options, plan, newDeadline: () => Date.now() + 60_000})

    const unread = [{source: 'libvirt on b', reason: 'pod b is not running'}]
    expect([plan.notAsked, renewed.notAsked]).toEqual([unread, unread])
    expect(viewText(renewedText(renewed, plain))).toBe(
      '1 instance moved\nnot asked: libvirt on b: pod b is not running\nevery instance that could be asked runs the QEMU of its node\n',
    )
  })

  it('names a node whose instances cannot be moved', async () => {
    const cloud = fakeCloud({servers: [server('web')]})
    const cluster = ports(cloud)
    const plan = await planRenewQemu(cluster, options)
    const live = {...cluster.live, createJobOf: async () => Promise.reject(new KkError('KK_API', 'no quota'))}

    const renewed = await renewQemu({...cluster, live} as typeof cluster, {
      ...{...options, plan, newDeadline: () => Date.now() + 60_000},
    })

    expect(renewed.failed).toEqual([{node: 'a', why: 'no quota'}])
    expect(renewed.old.map((each) => each.server)).toEqual(['web'])
  })

  it('does not call instances current whose libvirt no release has', async () => {
    const records = {list: async () => []} as never

    const plan = await planRenewQemu({...ports(fakeCloud({servers: [server('web')]})), records}, options)

    expect(viewText(renewPlanText(plan, plain))).toBe(
      'every instance that could be asked runs the QEMU of its node\nnot asked: libvirt: no release has its chart\n',
    )
  })

  it('takes the nodes that are named', async () => {
    const cluster = ports(fakeCloud({servers: [server('web')]}))

    const plan = await planRenewQemu(cluster, {...options, names: ['b']})

    expect(viewText(renewPlanText(plan, plain))).toBe('every instance runs the QEMU of its node\n')
    await expect(planRenewQemu(cluster, {...options, names: ['x']})).rejects.toMatchObject({
      code: 'KK_NO_NODE',
    })
  })
})
