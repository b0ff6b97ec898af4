import {afterAll, beforeAll, describe, expect, it} from 'vitest'
import type {Instance} from '../../../scripts/cloud/instance.ts'
import type {Versions} from '../../../src/audit/versions.ts'
import {inClient, openstack} from '../support/client.ts'
import {cloudDeployed, onCloud, podsOf} from '../support/cloud.ts'
import {
  becomes,
  bootOf,
  inMachine,
  machine,
  removeMachine,
  smallFlavors,
  startMachine,
} from '../support/machines.ts'
import {cloudFile, isUpgraded, pushNextImages, upgradeCloud} from '../support/next-release.ts'
import {phase} from '../support/phase.ts'
import {
  CREATION_TIMEOUT,
  deployProbers,
  type Losses,
  losses,
  printLosses,
  removeProbers,
} from '../support/probers.ts'
import {longestGap, openSession, type Session} from '../support/sessions.ts'

/** A guest from an image, and one from a volume. */
const [FROM_IMAGE, FROM_VOLUME] = ['first', 'kk-from-volume'] as const
/** The longest time without an answer of a guest, while the switch and OVN stay as they are. */
const LONGEST_GAP_SECONDS = 5
/** How long the pod of nova-compute may take to end. */
const GRACE_SECONDS = 240
/** How long a node's service may count as down after its pod is ready. */
const SERVICE_UP_SECONDS = 60

let guests: Readonly<Record<string, Instance>>
let boots: Readonly<Record<string, string>>
let sessions: readonly Session[] = []
let began: number
let ended: number
let record: Readonly<Record<string, Losses>>
let removeFlavors: () => Promise<unknown>

beforeAll(async () => {
  await cloudDeployed()
  expect(await isUpgraded(), 'expected a cloud of 2025.1: remove it with kk aio down').toBe(false)
  // Before the probers begin: the two processors of a test machine are enough for one of both.
  await pushNextImages()
  guests = await phase('two guests', startGuests)
  const addresses = Object.entries(guests).map(([name, {address}]) => [name, address] as const)
  await phase('probers deployed', () => deployProbers(Object.fromEntries(addresses)))
  boots = await bootsOf(guests)
  sessions = Object.values(guests).map(openSession)
  await Promise.all(sessions.map(({child: {stdout}}) => new Promise((seen) => stdout!.once('data', seen))))

  began = Date.now()
  await upgradeCloud()
  ended = Date.now()

  record = await losses(began, ended)
  printLosses('What users lost while the cloud was upgraded from 2025.1 to 2026.1', record)
})

afterAll(async () => {
  for (const {child} of sessions) child.kill()
  await removeProbers()
  await removeMachine(FROM_VOLUME)
  await becomes('volume', FROM_VOLUME, 'available')
  await inClient(`openstack volume delete ${FROM_VOLUME}`)
  await removeFlavors()
})

async function startGuests(): Promise<Readonly<Record<string, Instance>>> {
  const first = await machine()
  removeFlavors = await smallFlavors()
  await removeMachine(FROM_VOLUME)
  await inClient(`
    openstack volume delete ${FROM_VOLUME} 2>/dev/null || true
    openstack volume create --size 1 --image guest --bootable ${FROM_VOLUME} >/dev/null`)
  await becomes('volume', FROM_VOLUME, 'available')
  const second = await startMachine(first, FROM_VOLUME, `--volume ${FROM_VOLUME}`)
  return {[FROM_IMAGE]: first, [FROM_VOLUME]: second}
}

async function bootsOf(all: Readonly<Record<string, Instance>>): Promise<Readonly<Record<string, string>>> {
  const entries = Object.entries(all).map(async ([name, guest]) => [name, await bootOf(guest)] as const)
  return Object.fromEntries(await Promise.all(entries))
}

/** The failures of the given probes, with their first texts. */
function failuresOf(names: readonly string[]) {
  const all = names.map((name) => [name, record[name]] as const)
  return all.flatMap(([name, probe]) => (probe?.failed === 0 ? [] : [{name, ...probe}]))
}

/** When the pod that serves the guests of the node was replaced, in milliseconds since the epoch. */
async function computeReplaced(): Promise<{readonly from: number; readonly to: number}> {
  const pods = (await podsOf('nova')).filter(
    ({metadata}) => metadata.labels['app.kubernetes.io/component'] === 'compute',
  )
  const created = pods.map(({metadata}) => Date.parse(metadata.creationTimestamp))
  const started = pods.map(({status}) => Date.parse(status.containerStatuses![0]!.state.running!.startedAt))
  return {
    from: Math.min(...created) - GRACE_SECONDS * 1000,
    to: Math.max(...started) + (SERVICE_UP_SECONDS + CREATION_TIMEOUT) * 1000,
  }
}

describe('nova, probers: guests during an upgrade of the whole cloud', () => {
  it('keep running, and keep their SSH sessions', async () => {
    for (const {lines, isOver} of sessions) {
      process.stderr.write(`SSH session: ${lines.length} lines, longest gap ${longestGap(lines)} s\n`)
      expect(isOver).toBe(false)
      expect(longestGap(lines)).toBeLessThanOrEqual(LONGEST_GAP_SECONDS)
    }
    expect(await bootsOf(guests)).toEqual(boots)
    expect(failuresOf([`ssh ${FROM_IMAGE}`, `ssh ${FROM_VOLUME}`])).toEqual([])
  })

  it.each([FROM_IMAGE, FROM_VOLUME])('respond to ping within seconds at all times: %s', (name) => {
    const probe = record[`ping ${name}`]!

    expect(probe.tried).toBeGreaterThan(((ended - began) / 1000) * 4)
    expect(probe.longestGapSeconds).toBeLessThanOrEqual(LONGEST_GAP_SECONDS)
  })
})

describe('probers: users during an upgrade of the whole cloud', () => {
  it('have no failed call', () => {
    const calls = ['token', 'servers', 'ports', 'volumes', 'images', 'server calls']

    expect(calls.filter((name) => (record[name]?.tried ?? 0) < 20)).toEqual([])
    expect(failuresOf(calls)).toEqual([])
  })

  it('create servers, except while nova-compute is replaced', async () => {
    const {from, to} = await computeReplaced()
    const within = await losses(Math.max(began, from), Math.min(ended, to))

    expect(record['server create']!.tried).toBeGreaterThan(record['server create']!.failed)
    expect(record['server create']!.failed).toBe(within['server create']!.failed)
  })
})

describe('the upgraded cloud', () => {
  it('has all its services and agents up', async () => {
    const services = ['compute service', 'volume service'].map((kind) =>
      openstack<readonly {readonly State: string}[]>(`${kind} list`),
    )
    const agents = openstack<readonly {readonly Alive: boolean}[]>('network agent list')

    for (const list of await Promise.all(services)) {
      expect(list).not.toEqual([])
      expect(list.filter(({State}) => State !== 'up')).toEqual([])
    }
    expect(await agents).not.toEqual([])
    expect((await agents).filter(({Alive}) => !Alive)).toEqual([])
  })

  it('starts another guest, which is reached', async (test) => {
    test.onTestFinished(() => removeMachine('kk-after'))

    const after = await startMachine(guests[FROM_IMAGE]!, 'kk-after', '--image guest')

    expect(await inMachine(after, 'hostname')).toBe('kk-after')
  })

  it('runs one version of each image, service and schema, and of QEMU in guests that have survived', async () => {
    const {stdout} = await onCloud(['status', await cloudFile(), '--versions', '--output', 'json'])

    const {parts, notAsked} = (JSON.parse(stdout) as {readonly versions: Versions}).versions
    expect(notAsked).toEqual([])
    expect(parts.filter(({versions}) => versions.length > 1)).toEqual([])
    expect(parts.find(({kind}) => kind === 'QEMU')!.versions[0]!.of.length).toBeGreaterThan(2)
    const images = parts.filter(({kind, name}) => kind === 'image' && name.startsWith('nova/'))
    expect(images.map(({name}) => name)).toContain('nova/compute')
    expect(images.map(({versions}) => versions[0]!.version)).toEqual(
      images.map(() => expect.stringContaining('2026.1')),
    )
  })

  it('has no inconsistency that kk audit finds', async () => {
    const {exitCode, stdout, stderr} = await phase('audit', async () =>
      onCloud(['audit', await cloudFile(), '--output', 'json']),
    )

    expect(exitCode, `${stdout}\n${stderr}`).toBe(0)
  })
})
