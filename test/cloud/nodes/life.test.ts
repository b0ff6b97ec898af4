import {appendFile} from 'node:fs/promises'
import {loadavg} from 'node:os'
import {join} from 'node:path'
import {afterAll, beforeAll, describe, expect, inject, it} from 'vitest'
import {CLIENT} from '../../../scripts/cloud/client.ts'
import type {Instance} from '../../../scripts/cloud/instance.ts'
import {FORMER_KUBERNETES} from '../../../scripts/toolbox/recipe.ts'
import type {Versions} from '../../../src/audit/versions.ts'
import type {Rolled} from '../../../src/verbs/nodes/roll.ts'
import {kk, kubectl} from '../../aio/support/node.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {sizeAtNight} from '../../support/night.ts'
import {inClient, openstack} from '../support/client.ts'
import {onCloud, succeed} from '../support/cloud.ts'
import {upgradeControlPlane} from '../support/former-kubernetes.ts'
import {imageOf} from '../support/images.ts'
import {
  becomes,
  bootOf,
  inMachine,
  machine,
  removeMachine,
  smallFlavors,
  startMachine,
} from '../support/machines.ts'
import {phase} from '../support/phase.ts'
import {plantedImage} from '../support/planted-image.ts'
import {longestGap, openPing, openSession, type Session} from '../support/sessions.ts'
import {
  clientOnSpareNode,
  expectConsistent,
  keysUp,
  membersOn,
  nodesUp,
  SPARE_NODE,
  traces,
  withImage,
} from '../support/several-nodes.ts'

/** The longest time without an answer while an instance moves, on a calm and on a busy machine. */
const LONGEST_GAP_SECONDS = {calm: 2, busy: 8}
const CALM_LOAD = 6
const MIGRATIONS = sizeAtNight(50, 10)

const NODES = ['node-1', 'node-2', 'node-3', SPARE_NODE]
const GUESTS = ['kk-live', 'kk-volume', 'kk-stop', 'kk-never'] as const
let file: string
let first: Instance
let guests: Readonly<Record<(typeof GUESTS)[number], Instance>>
let removeFlavors: () => Promise<unknown>

beforeAll(async () => {
  file = await nodesUp()
  first = await machine()
  removeFlavors = await smallFlavors()
  await keysUp()
  guests = await phase('four guests on node-1', startGuests)
  await phase('an encrypted volume', attachEncrypted)
}, 3_600_000)

afterAll(async () => {
  for (const name of GUESTS) await removeMachine(name)
  await inClient(`
    openstack volume delete kk-volume ${ENCRYPTED}
    while openstack volume show ${ENCRYPTED} >/dev/null 2>&1; do sleep 1; done
    openstack volume type delete ${ENCRYPTED}`)
  await removeFlavors()
})

const ENCRYPTED = 'kk-encrypted'
/** The last disk of an instance. */
const LAST_DISK = '$(ls /dev/vd? | tail --lines 1)'

/** Attaches a volume whose key is in barbican, and writes to it. */
async function attachEncrypted(): Promise<void> {
  await inClient(`
    of_that_name() { openstack volume list --name ${ENCRYPTED} --format value --column ID; }
    for left in $(of_that_name); do openstack volume delete $left; done
    while [ -n "$(of_that_name)" ]; do sleep 1; done
    openstack volume type show ${ENCRYPTED} >/dev/null 2>&1 ||
      openstack volume type create --encryption-provider luks --encryption-cipher aes-xts-plain64 \\
        --encryption-key-size 256 --encryption-control-location front-end ${ENCRYPTED} >/dev/null
    openstack volume create --size 1 --type ${ENCRYPTED} ${ENCRYPTED} >/dev/null`)
  await becomes('volume', ENCRYPTED, 'available')
  await inClient(`openstack server add volume kk-live ${ENCRYPTED} >/dev/null`)
  await becomes('volume', ENCRYPTED, 'in-use')
  await inMachine(guests['kk-live'], `echo encrypted | dd of=${LAST_DISK} bs=512 conv=sync 2>/dev/null; sync`)
}

/** Expects what was written, from the volume and not from memory. */
async function expectDecrypted(): Promise<void> {
  const read = `dd if=${LAST_DISK} bs=512 count=1 iflag=direct 2>/dev/null | head --lines 1`
  expect(await inMachine(guests['kk-live'], read)).toContain('encrypted')
}

async function startGuests(): Promise<typeof guests> {
  for (const name of GUESTS) await removeMachine(name)
  await inClient(`
    openstack volume delete kk-volume 2>/dev/null || true
    openstack volume create --size 1 --image guest --bootable kk-volume >/dev/null`)
  await becomes('volume', 'kk-volume', 'available')
  const on = '--availability-zone nova:node-1'
  const started = new Map<string, Instance>()
  for (const name of GUESTS)
    started.set(
      name,
      await startMachine(
        first,
        name,
        `${name === 'kk-volume' ? '--volume kk-volume' : '--image guest'} ${on}`,
      ),
    )
  await inClient(`
    export OS_COMPUTE_API_VERSION=2.26
    openstack server set --tag kk:maintenance=stop kk-stop
    openstack server set --tag kk:maintenance=never kk-never`)
  await Promise.all([...started.values()].map(bootOf))
  return Object.fromEntries(started) as typeof guests
}

/** The hypervisor of an instance. */
async function hostOf(name: string): Promise<string> {
  const server = await openstack<Readonly<Record<string, string>>>(`server show ${name}`)
  return server['OS-EXT-SRV-ATTR:host']!
}

async function statusOf(name: string): Promise<string> {
  return (await openstack<{readonly status: string}>(`server show ${name}`)).status
}

/**
 * Does the work while instances are pinged, and a session is open in each; expects that they notice little.
 */
async function whileWatched<T>(
  title: string,
  watched: readonly Instance[],
  work: () => Promise<T>,
): Promise<T> {
  const open: readonly (readonly [string, Session])[] = watched.flatMap((each) => [
    [`ping ${each.address}`, openPing(each)] as const,
    [`SSH ${each.address}`, openSession(each)] as const,
  ])
  try {
    await waitFor(async () => open.every(([, {lines}]) => lines.length > 2), {
      until: 'all guests answer',
      seconds: 60,
    })
    let load = 0
    const timer = setInterval(() => {
      load = Math.max(load, loadavg()[0]!)
    }, 5_000)
    const result = await phase(title, work).finally(() => clearInterval(timer))
    const limit = LONGEST_GAP_SECONDS[load <= CALM_LOAD ? 'calm' : 'busy']
    for (const [name, {lines, isOver}] of open) {
      const gap = longestGap(lines)
      process.stderr.write(
        `${title}: ${name}: ${lines.length} lines, longest gap ${gap} s, load ${load.toFixed(1)}\n`,
      )
      expect(isOver, name).toBe(false)
      expect(gap, name).toBeLessThanOrEqual(limit)
    }
    return result
  } finally {
    for (const [, {child}] of open) child.kill()
  }
}

/** Resolves when a token and a list of servers come in time, and prints what did not. */
function serves(): Promise<unknown> {
  const calls = 'timeout 20 openstack token issue && timeout 20 openstack server list'
  return waitFor(
    () =>
      inClient(calls).catch(({stderr = ''}: {readonly stderr?: string}) => {
        process.stderr.write(`no answer: ${stderr.trim().split('\n').slice(-2).join(' ')}\n`)
        return undefined
      }),
    {until: 'the cloud serves without the node', seconds: 180},
  )
}

/** Resolves when every release is healthy. */
const healthy = (seconds = 600) =>
  waitFor(async () => (await onCloud(['status', file])).exitCode === 0, {
    until: 'the cloud is healthy',
    seconds,
  })

const drain = (...flags: readonly string[]) => onCloud(['node', 'drain', 'node-1', file, ...flags])
const giveBack = (node: string) => onCloud(['node', 'return', node, file])

describe('nova: the instances of a node', () => {
  it('keep kubectl drain from it, which names the command that moves them', async () => {
    const pods = ['--ignore-daemonsets', '--pod-selector', 'kk.openstack.org/blocks-drain']
    try {
      const drained = kubectl(['drain', 'node-1', ...pods, '--timeout=30s'])

      await expect(drained).rejects.toMatchObject({
        stderr: expect.stringMatching(
          /nova-use-kk-node-drain-node-1-\S+" .*violate the pod's disruption budget/,
        ),
      })
    } finally {
      await kubectl(['uncordon', 'node-1'])
    }
  })
})

describe('nova, neutron: the instances of a node that is drained', () => {
  it('are moved, stopped or named as their tags say', async () => {
    const boots = await Promise.all([bootOf(guests['kk-live']), bootOf(guests['kk-volume'])])
    const planned = await drain('--dry-run')

    const drained = await whileWatched('drain', [guests['kk-live'], guests['kk-volume']], () =>
      drain('--yes'),
    )

    expect(planned.stdout).toMatch(/ 2\. +move live /)
    expect(planned.stdout).toMatch(/instance kk-never \(.*\) stays/)
    expect(drained.exitCode, drained.stderr).toBe(1)
    expect(drained.stdout).toMatch(
      /✘ instance kk-never \(\S+; project admin, user admin\) stays: its tag says so/,
    )
    expect(await Promise.all(GUESTS.map(hostOf))).toEqual(['node-2', 'node-2', 'node-1', 'node-1'])
    expect(await statusOf('kk-stop')).toBe('SHUTOFF')
    expect(await Promise.all([bootOf(guests['kk-live']), bootOf(guests['kk-volume'])])).toEqual(boots)
    await expectConsistent()
  })

  it('leave an empty node with the last of them, while the cloud serves', async () => {
    await inClient('OS_COMPUTE_API_VERSION=2.26 openstack server unset --tag kk:maintenance=never kk-never')

    const drained = await whileWatched('drain to the end', [guests['kk-never']], () =>
      drain('--yes', '--timeout', '20m'),
    )

    expect(drained.exitCode, `${drained.stdout}\n${drained.stderr}`).toBe(0)
    expect(await hostOf('kk-never')).toBe('node-2')
    const left = await kubectl([
      ...['get', 'pods', '--all-namespaces', '--field-selector', 'spec.nodeName=node-1,status.phase=Running'],
      ...['--output', 'jsonpath={.items[*].metadata.ownerReferences[*].kind}'],
    ])
    // Nothing blocks kubectl drain either.
    expect(new Set(left.split(' '))).toEqual(new Set(['DaemonSet']))
    await inClient('openstack token issue >/dev/null; openstack server list >/dev/null')
  })

  it('return with it if the drain has stopped them', async () => {
    const returned = await giveBack('node-1')

    expect(returned.exitCode, `${returned.stdout}\n${returned.stderr}`).toBe(0)
    expect(await statusOf('kk-stop')).toBe('ACTIVE')
    await bootOf(guests['kk-stop'])
    const list = JSON.parse((await onCloud(['node', 'list', file, '--output', 'json'])).stdout)
    expect(list.nodes).toMatchObject(['node-1', 'node-2', 'node-3'].map((node) => ({node, state: 'ready'})))
    await healthy()
    await expectConsistent()
  })
})

it(`nova: instances move live ${MIGRATIONS} times, and notice little`, async () => {
  const moved = [guests['kk-live'], guests['kk-volume']]
  await whileWatched('live migrations', moved, async () => {
    for (let count = 0; count < MIGRATIONS; count += 2) {
      const from = await Promise.all(['kk-live', 'kk-volume'].map(hostOf))
      await inClient(
        'openstack server migrate --live-migration --wait kk-live; openstack server migrate --live-migration --wait kk-volume',
      )
      expect(await Promise.all(['kk-live', 'kk-volume'].map(hostOf))).toEqual(
        from.map((host) => (host === 'node-1' ? 'node-2' : 'node-1')),
      )
    }
  })
  await expectDecrypted()
  await expectConsistent()
})

describe('nova: an instance that moves', () => {
  const moving = () => [guests['kk-live'], guests['kk-volume']]

  it('arrives although the pod of nova-compute is deleted on the way', async () => {
    const from = await hostOf('kk-live')
    const boot = await bootOf(guests['kk-live'])
    await inClient('openstack server migrate --live-migration kk-live')
    await kubectl([
      ...['delete', 'pod', '--namespace', 'openstack', '--field-selector', `spec.nodeName=${from}`],
      ...['--selector', 'app.kubernetes.io/name=nova,app.kubernetes.io/component=compute'],
    ])

    await becomes('server', 'kk-live', 'ACTIVE')
    expect(await hostOf('kk-live')).not.toBe(from)
    expect(await bootOf(guests['kk-live'])).toBe(boot)
    await healthy()
    await expectConsistent()
  })

  it('arrives once if kk is killed in the middle of a drain, and called again', async () => {
    const from = await hostOf('kk-volume')
    await inClient(`openstack server migrate --live-migration --host ${from} --wait kk-live`)
    const boots = await Promise.all(moving().map(bootOf))
    const killed = onCloud(['node', 'drain', from, file, '--yes'])
    for await (const line of killed.iterable({from: 'stderr'})) {
      if (!/move live kk-\w+ …/.test(line)) continue
      killed.kill('SIGKILL')
      break
    }
    await killed

    const drained = await onCloud(['node', 'drain', from, file, '--yes', '--timeout', '20m'])

    expect((await killed).exitCode).not.toBe(0)
    expect(drained.exitCode, `${drained.stdout}\n${drained.stderr}`).toBe(0)
    for (const name of ['kk-live', 'kk-volume']) expect(await hostOf(name)).not.toBe(from)
    expect(await Promise.all(moving().map(bootOf))).toEqual(boots)
    const returned = await giveBack(from)
    expect(returned.exitCode, `${returned.stdout}\n${returned.stderr}`).toBe(0)
    await expectConsistent()
  })
})

describe('libvirt, nova: nodes that are rolled', () => {
  const kubeletVersions = async () => {
    const versions = 'jsonpath={.items[*].status.nodeInfo.kubeletVersion}'
    return (await kubectl(['get', 'nodes', '--output', versions])).split(' ')
  }
  const versions = async () => {
    const {stdout} = await onCloud(['status', file, '--versions', '--output', 'json'])
    const {parts} = (JSON.parse(stdout) as {readonly versions: Versions}).versions
    return parts.find(({kind}) => kind === 'QEMU')!.versions
  }

  it('have instances with the QEMU of before an upgrade, until these are moved', async () => {
    const from = imageOf('nova-libvirt')
    // The same program, one byte longer: a rebuild of the same version.
    const planted = await plantedImage(from, (root) =>
      appendFile(join(root, 'usr/bin/qemu-system-x86_64'), 'x'),
    )
    const changed = await withImage('libvirt', {libvirt: planted})
    await phase('libvirt upgraded', () => succeed(['upgrade', changed, 'libvirt', '--yes']))
    const before = await versions()
    const boots = await Promise.all([bootOf(guests['kk-live']), bootOf(guests['kk-volume'])])

    const rolled = await whileWatched('new QEMU', [guests['kk-live'], guests['kk-volume']], () =>
      onCloud(['node', 'roll', file, '--old-qemu', '--yes']),
    )

    expect(before.map(({version}) => version)).toEqual([
      expect.stringMatching(/^\d/),
      expect.stringMatching(/^another build than \d/),
    ])
    // One is tagged to be stopped, not to be moved.
    expect(rolled.exitCode, `${rolled.stdout}\n${rolled.stderr}`).toBe(1)
    expect(rolled.stdout).toContain('1 instance still with another QEMU than the node has')
    await inClient('openstack server stop kk-stop')
    await becomes('server', 'kk-stop', 'SHUTOFF')
    await inClient('openstack server start kk-stop')
    await becomes('server', 'kk-stop', 'ACTIVE')
    expect(await versions()).toHaveLength(1)
    expect(await Promise.all([bootOf(guests['kk-live']), bootOf(guests['kk-volume'])])).toEqual(boots)
    await expectConsistent()
  })

  it('are upgraded to the next Kubernetes one after the other, and instances run on', async () => {
    const moved = [guests['kk-live'], guests['kk-volume']]
    const boots = await Promise.all(moved.map(bootOf))
    await upgradeControlPlane()
    const {gitVersion} = JSON.parse(await kubectl(['get', '--raw', '/version'])) as {gitVersion: string}
    const program = inject('aio').kk
    // A new kubelet on a node that restarts: all that ran there has ended.
    const restart = `"${program}" aio node stop $KK_NODE && "${program}" aio node start $KK_NODE`
    const words = ['node', 'roll', file, '--exec', restart, '--until', `kubelet=${gitVersion}`]

    await healthy()
    const before = await kubeletVersions()
    const planned = await onCloud([...words, '--dry-run'])
    // It has no controller, and would keep its node.
    await kubectl(['delete', 'pod', '--namespace', CLIENT.namespace, CLIENT.name, '--now'])
    const rolled = await whileWatched('Kubernetes upgraded', moved, () =>
      onCloud([...words, '--soak', '10s', '--timeout', '20m', '--yes', '--output', 'json']),
    )
    await clientOnSpareNode()
    if (rolled.exitCode !== 0) process.stderr.write(rolled.stderr)

    expect(before).toEqual(NODES.map(() => FORMER_KUBERNETES))
    expect(planned.stdout).toMatch(/node-1 +next\n +node-2 +next/)
    expect(rolled.exitCode, `${rolled.stdout}\n${rolled.stderr}`).toBe(0)
    const {nodes} = JSON.parse(rolled.stdout) as Rolled
    expect(nodes).toMatchObject(NODES.map((node) => ({node, result: 'rolled'})))
    process.stderr.write(nodes.map(({node, seconds}) => `${node} was upgraded in ${seconds} s\n`).join(''))
    expect(await kubeletVersions()).toEqual(NODES.map(() => gitVersion))
    expect(await Promise.all(moved.map(bootOf))).toEqual(boots)
    await expectConsistent()
  })
})

describe('nova: the instances of a node that loses its power', () => {
  it('start on the other hypervisor, once the node is certainly off', async () => {
    const lost = await hostOf('kk-live')
    const others = GUESTS.filter((name) => name !== 'kk-live')
    await inMachine(guests['kk-live'], 'echo kept >/root/kept; sync')
    const before = await onCloud(['node', 'evacuate', lost, file, '--yes'])
    await kk(['aio', 'node', 'stop', lost])
    const stopped = Date.now()

    await phase('a token by the other controllers', serves)
    await phase('an instance on the other hypervisor', async () => {
      await bootOf(await startMachine(first, 'kk-new', '--image guest'))
    })
    await removeMachine('kk-new')
    const evacuated = await phase('evacuation', () =>
      waitFor(
        async () => {
          const run = await onCloud(['node', 'evacuate', lost, file, '--yes'])
          return run.exitCode !== 3 && run
        },
        {until: 'the node is certainly off', seconds: 300},
      ),
    )
    process.stderr.write(
      `the instances ran again ${((Date.now() - stopped) / 1000).toFixed(0)} s after the power cut\n`,
    )

    expect(before.exitCode).toBe(3)
    expect(before.stderr).toContain('its kubelet reports to Kubernetes; its nova-compute reports to nova')
    expect(evacuated.exitCode, `${evacuated.stdout}\n${evacuated.stderr}`).toBe(0)
    expect(await hostOf('kk-live')).not.toBe(lost)
    expect(await inMachine(guests['kk-live'], 'cat /root/kept')).toBe('kept')
    for (const name of others) await bootOf(guests[name])
  })

  it('run nowhere twice when the node is back', async () => {
    const [{node}] = JSON.parse(
      (await onCloud(['node', 'list', file, '--output', 'json'])).stdout,
    ).nodes.filter(({host}: {readonly host?: {readonly isForcedDown: boolean}}) => host?.isForcedDown) as [
      {readonly node: string},
    ]
    await kk(['aio', 'node', 'start', node])

    const returned = await phase('return', () => giveBack(node))

    expect(returned.exitCode, `${returned.stdout}\n${returned.stderr}`).toBe(0)
    await healthy()
    await expectConsistent()
  })
})

describe('nova, neutron, ovn: a hypervisor', () => {
  const LABELS = ['openstack-compute-node', 'openvswitch']
  const remove = (...flags: readonly string[]) => {
    const chosen = LABELS.flatMap((label) => ['--label', label])
    return onCloud(['node', 'remove', 'node-2', file, ...chosen, ...flags])
  }

  it('is not removed while instances are there', async () => {
    const here = await openstack<readonly unknown[]>('server list --all-projects --host node-2')
    if (here.length === 0)
      await inClient('openstack server migrate --live-migration --host node-2 --wait kk-live')

    const {exitCode, stderr} = await remove('--yes')

    expect(exitCode).toBe(3)
    expect(stderr).toMatch(/node-2 is in use: instance kk-/)
    expect(stderr).toContain('nova starts instances here: kk node drain ends that')
  })

  it('leaves nothing behind when it is removed', async () => {
    const drained = await phase('drain', () => onCloud(['node', 'drain', 'node-2', file, '--yes']))
    expect(drained.exitCode, `${drained.stdout}\n${drained.stderr}`).toBe(0)

    const removed = await phase('removal', () => remove('--yes'))

    expect(removed.exitCode, `${removed.stdout}\n${removed.stderr}`).toBe(0)
    expect(await traces('node-2')).toEqual([])
    const returned = await giveBack('node-2')
    expect(returned.exitCode, `${returned.stdout}\n${returned.stderr}`).toBe(0)
    await healthy()
    await expectConsistent()
  })

  it('takes an instance 90 seconds after it was added at the latest', async () => {
    const began = Date.now()

    const added = await phase('addition', () => onCloud(['node', 'add', 'node-2', file, '--yes']))
    const seconds = (Date.now() - began) / 1000

    expect(added.exitCode, `${added.stdout}\n${added.stderr}`).toBe(0)
    process.stderr.write(
      `node-2 took instances after ${seconds.toFixed(0)} s, load ${loadavg()[0]!.toFixed(1)}\n`,
    )
    await inClient('openstack server migrate --live-migration --host node-2 --wait kk-live')
    expect(await hostOf('kk-live')).toBe('node-2')
    await bootOf(guests['kk-live'])
    if (loadavg()[0]! <= CALM_LOAD) expect(seconds).toBeLessThanOrEqual(90)
    await healthy(300)
    await expectConsistent()
  })
})

describe('mariadb, rabbitmq, ovn, ceph: a controller that is lost with its disks', () => {
  const replace = (...flags: readonly string[]) =>
    onCloud(['node', 'replace', 'node-3', file, '--with', SPARE_NODE, ...flags])

  it('is not given up while it may still be running', async () => {
    const {exitCode, stderr} = await replace('--yes')

    expect(exitCode).toBe(3)
    expect(stderr).toContain('the data of node-3 is not given up: its kubelet reports to Kubernetes')
  })

  it('is replaced by another node, whose members have all data', async () => {
    await kk(['aio', 'node', 'stop', 'node-3'])
    const replaced = await phase('replacement', () =>
      waitFor(
        async () => {
          const run = await replace('--yes')
          if (run.exitCode === 3) process.stderr.write(run.stderr)
          return run.exitCode !== 3 && run
        },
        {until: 'the others do without the node', seconds: 300},
      ),
    )

    expect(replaced.exitCode, `${replaced.stdout}\n${replaced.stderr}`).toBe(0)
    expect(await membersOn(SPARE_NODE)).toEqual(['ceph-mon', 'ceph-osd', 'mariadb', 'ovn', 'ovn', 'rabbitmq'])
    await inClient('openstack token issue && openstack server list')
    await bootOf(guests['kk-live'])
  })

  it('leaves nothing behind, and a healthy cloud', async () => {
    const removed = await phase('removal', () => onCloud(['node', 'remove', 'node-3', file, '--yes']))

    expect(removed.exitCode, `${removed.stdout}\n${removed.stderr}`).toBe(0)
    expect(await traces('node-3')).toEqual([])
    await kubectl(['delete', 'node', 'node-3'])
    await healthy()
    await expectConsistent()
  })
})
