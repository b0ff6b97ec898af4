import {loadavg} from 'node:os'
import {beforeAll, expect} from 'vitest'
import type {Instance} from '../../../scripts/cloud/instance.ts'
import {waitFor} from '../../e2e/support/cluster.ts'
import {inClient, openstack} from './client.ts'
import {becomes, bootOf, inMachine, machine, removeMachine, smallFlavors, startMachine} from './machines.ts'
import {phase} from './phase.ts'
import {longestGap, openPing, openSession, type Session} from './sessions.ts'
import {keysUp, nodesUp} from './several-nodes.ts'

/** The longest time without an answer while an instance moves, on a calm and on a busy machine. */
const LONGEST_GAP_SECONDS = {calm: 2, busy: 8}
/** The load up to which the machine is calm. */
export const CALM_LOAD = 6

/** One as any, one with its root disk in a volume, one that is stopped for a drain, and one more. */
export const GUESTS = ['kk-live', 'kk-volume', 'kk-stop', 'kk-never'] as const
type Guests = Readonly<Record<(typeof GUESTS)[number], Instance>>

const ENCRYPTED = 'kk-encrypted'
/** The last disk of an instance. */
const LAST_DISK = '$(ls /dev/vd? | tail --lines 1)'

interface NodesCloud {
  readonly file: string
  readonly guests: Guests
}

/**
 * Brings up the cloud and its instances before the tests of a file; what it returns has them from then on.
 */
export function useCloud(makeGuests: () => Promise<Guests> = guestsUp): NodesCloud {
  const cloud = {} as {file: string; guests: Guests}
  beforeAll(async () => {
    cloud.file = await nodesUp()
    cloud.guests = await makeGuests()
  }, 3_600_000)
  return cloud
}

/**
 * The instances that the former test file has left, wherever they are; new ones on node-1 if there are none.
 */
async function guestsUp(): Promise<Guests> {
  const addresses = await Promise.all(GUESTS.map(addressOf))
  if (addresses.includes(undefined)) return newGuests()
  const {key} = await machine()
  return byName(addresses.map((address) => ({address: address!, key})))
}

function byName(instances: readonly Instance[]): Guests {
  return Object.fromEntries(GUESTS.map((name, index) => [name, instances[index]!])) as unknown as Guests
}

/** The floating address of an instance; undefined if there is none. */
async function addressOf(name: string): Promise<string | undefined> {
  const [port] = await openstack<readonly {readonly ID: string}[]>(`port list --server ${name}`).catch(
    () => [],
  )
  if (!port) return
  const [floating] = await openstack<readonly {readonly 'Floating IP Address': string}[]>(
    `floating ip list --port ${port.ID}`,
  )
  return floating?.['Floating IP Address']
}

/** New instances on node-1, one with an encrypted volume. */
export async function newGuests(): Promise<Guests> {
  const first = await machine()
  await smallFlavors()
  await keysUp()
  const guests = await phase('four guests on node-1', () => startGuests(first))
  await phase('an encrypted volume', () => attachEncrypted(guests['kk-live']))
  return guests
}

async function startGuests(first: Instance): Promise<Guests> {
  for (const name of GUESTS) await removeMachine(name)
  await inClient(`
    openstack volume delete kk-volume 2>/dev/null || true
    openstack volume create --size 1 --image guest --bootable kk-volume >/dev/null`)
  await becomes('volume', 'kk-volume', 'available')
  const on = '--availability-zone nova:node-1'
  const started: Instance[] = []
  for (const name of GUESTS) {
    const disk = name === 'kk-volume' ? '--volume kk-volume' : '--image guest --config-drive True'
    started.push(await startMachine(first, name, `${disk} ${on}`))
  }
  await inClient('OS_COMPUTE_API_VERSION=2.26 openstack server set --tag kk:maintenance=stop kk-stop')
  await Promise.all(started.map(bootOf))
  return byName(started)
}

/** Attaches a volume whose key is in barbican, and writes to it. */
async function attachEncrypted(guest: Instance): Promise<void> {
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
  await inMachine(guest, `echo encrypted | dd of=${LAST_DISK} bs=512 conv=sync 2>/dev/null; sync`)
}

/** Expects what was written to the encrypted volume, from there and not from memory. */
export async function expectDecrypted(guests: Guests): Promise<void> {
  const read = `dd if=${LAST_DISK} bs=512 count=1 iflag=direct 2>/dev/null | head --lines 1`
  expect(await inMachine(guests['kk-live'], read)).toContain('encrypted')
}

/** The hypervisor of an instance. */
export async function hostOf(name: string): Promise<string> {
  const server = await openstack<Readonly<Record<string, string>>>(`server show ${name}`)
  return server['OS-EXT-SRV-ATTR:host']!
}

/**
 * Does the work while instances are pinged, and a session is open in each; expects that they notice little.
 */
export async function whileWatched<T>(
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
      // What follows is looked at, too.
      expect.soft(isOver, name).toBe(false)
      expect.soft(gap, name).toBeLessThanOrEqual(limit)
    }
    return result
  } finally {
    for (const [, {child}] of open) child.kill()
  }
}
