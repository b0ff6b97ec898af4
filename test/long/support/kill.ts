import {execa} from 'execa'
import {expect} from 'vitest'
import type {Version} from './cloud.ts'
import {arrive, begin, depart, type Life, type Reference, type Station} from './life.ts'
import {observe} from './observed.ts'
import type {Dice} from './seed.ts'

/** How a run is killed. */
export type Kill =
  /** kk, when so many transitions are in its journal; its helms with it, or they live on. */
  | {readonly what: 'kk'; readonly transition: number; readonly helms: 'killed' | 'living'}
  /** One helm, so many milliseconds after it has started; kk lives. */
  | {readonly what: 'helm'; readonly release: string; readonly after: number}

const HELM_VERBS: Readonly<Record<Station, string>> = {
  deploy: 'install',
  upgrade: 'upgrade',
  rollback: 'rollback',
  remove: 'uninstall',
}

export interface KillOptions {
  readonly content: (version: Version) => string
  readonly reference: Reference
  readonly killAt: (station: Station) => Kill
}

/**
 * Leads an environment through its stations, kills a run at each, and expects that one further command mends
 * all.
 */
export async function liveThroughKills({content, reference, killAt}: KillOptions) {
  const life = await begin(content)
  for (const station of reference.stations) {
    const kill = killAt(station)
    const where = `${life.corner.name} at ${station}, ${JSON.stringify(kill)}`
    const command = await arrive(life, station)
    const before = await observe(life.corner.name)
    const killed = await killedBy(life, {command, kill, station})
    const {exitCode, stdout, stderr} = await life.kk(command)

    expect(exitCode, `${where}: the next command\n${stdout}\n${stderr}\nafter\n${killed.said}`).toBe(0)
    const after = await depart(life, station)
    expect(after.portrait, where).toEqual(reference.observed[station].portrait)
    if (station === 'remove') continue
    const extra = Object.entries(after.revisions).map(
      ([name, revision]) => revision - (before.revisions[name] ?? 0) - 1,
    )
    expect(Math.max(...extra), `${where}: extra revisions of a release`).toBeLessThanOrEqual(1)
    expect(sum(extra), `${where}: extra revisions`).toBeLessThanOrEqual(Math.max(1, killed.helms))
    if (station !== 'deploy') expect(after.claims, `${where}: claims`).toEqual(before.claims)
  }
}

interface KilledBy {
  readonly command: readonly string[]
  readonly kill: Kill
  readonly station: Station
}

/** Resolves, when the run is over, with the number of helms that were killed. */
async function killedBy(
  life: Life,
  {command, kill, station}: KilledBy,
): Promise<{readonly helms: number; readonly said: string}> {
  if (kill.what === 'helm') {
    const VICTIM = `${HELM_VERBS[station]} ${kill.release}`
    const {exitCode, stderr} = await life.kk(command, {VICTIM, AFTER: String(kill.after / 1000)})
    expect([0, 1], stderr).toContain(exitCode)
    return {helms: 1, said: stderr}
  }
  const known = (await life.helms()).length
  const {signal, stderr} = await life.kk(command, {}, kill.transition)
  expect(signal, stderr).toBe('SIGKILL')
  if (kill.helms === 'living') return {helms: 0, said: stderr}
  return {helms: await killAll((await life.helms()).slice(known)), said: stderr}
}

/** Kills those that still live. */
async function killAll(pids: readonly number[]): Promise<number> {
  let killed = 0
  for (const pid of pids) {
    const {stdout} = await execa('readlink', [`/proc/${pid}/exe`], {reject: false})
    if (!/helm\d?$/.test(stdout)) continue
    process.kill(pid, 'SIGKILL')
    killed += 1
  }
  return killed
}

/**
 * Kills at this transition, or, where a station has fewer, of one helm; what else can be chosen is thrown.
 */
export function killAtTransition(
  dice: Dice,
  transition: number,
  reference: Reference,
  releases: readonly string[],
) {
  return (station: Station): Kill =>
    transition <= reference.transitions[station]
      ? {what: 'kk', transition, helms: dice.pick(['killed', 'living'] as const)}
      : killOfHelm(dice, releases)
}

export function killOfHelm(dice: Dice, releases: readonly string[]): Kill {
  return {what: 'helm', release: dice.pick(releases), after: dice.between(0, 1200)}
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
