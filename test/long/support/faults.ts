import {expect} from 'vitest'
import type {Version} from './cloud.ts'
import {type Fault, openFaultProxy} from './fault-proxy.ts'
import {arrive, begin, depart, type Reference, type Station} from './life.ts'
import {type Observed, observe} from './observed.ts'

export interface FaultOptions {
  readonly content: (version: Version) => string
  readonly reference: Reference
  readonly faultAt: (station: Station) => Fault
}

/**
 * Leads an environment through its stations, lets one write go wrong at each, and expects that one further
 * command mends all.
 */
export async function liveThroughFaults(options: FaultOptions): Promise<void> {
  const life = await begin(options.content)
  const proxy = await openFaultProxy(life.corner.directory)
  try {
    for (const station of options.reference.stations) {
      const fault = options.faultAt(station)
      const where = `${life.corner.name} at ${station}, ${JSON.stringify(fault)}`
      const command = await arrive(life, station)
      const before = await observe(life.corner.name)
      proxy.arm(fault)
      const faulted = await life.kk(command, {KUBECONFIG: proxy.kubeconfig})
      const account = `${where}\n${faulted.stdout}\n${faulted.stderr}`
      expect(proxy.struck(), `${account}\nnever came to the fault`).toBe(true)
      expect(isBorne(fault) ? [0] : [0, 1, 3], account).toContain(faulted.exitCode)

      const {exitCode, stdout, stderr} = await life.kk(command)

      expect(exitCode, `${where}: the next command\n${stdout}\n${stderr}\nafter\n${account}`).toBe(0)
      expectWhole({before, after: await depart(life, station), where, station}, options.reference)
    }
  } finally {
    await proxy.close()
  }
}

/** What every client of an API server has to bear. */
function isBorne({how}: Fault): boolean {
  return how === 'throttled' || how === 'delayed'
}

interface Passed {
  readonly before: Observed
  readonly after: Observed
  readonly where: string
  readonly station: Station
}

/**
 * Nothing is lost and nothing doubled: all as in an undisturbed life, the data the same, at most one revision
 * more.
 */
function expectWhole({before, after, where, station}: Passed, reference: Reference): void {
  expect(after.portrait, where).toEqual(reference.observed[station].portrait)
  if (station === 'remove') return
  const extra = Object.entries(after.revisions).map(
    ([name, revision]) => revision - (before.revisions[name] ?? 0) - 1,
  )
  const sum = extra.reduce((total, number) => total + number, 0)
  expect(sum, `${where}: extra revisions`).toBeLessThanOrEqual(1)
  if (station !== 'deploy') expect(after.claims, `${where}: claims`).toEqual(before.claims)
}
