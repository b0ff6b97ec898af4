import {join} from 'node:path'
import {setTimeout as wait} from 'node:timers/promises'
import {execa} from 'execa'
import {expect, inject} from 'vitest'
import {type Corner, openCorner} from '../../e2e/support/corner.ts'
import {kkEnvironment} from '../../e2e/support/kk.ts'
import {lastOf, observe} from './observed.ts'
import {expectOrder} from './order.ts'
import type {Dice} from './seed.ts'

/** Two environments in one namespace; both need `db` and `cache`, which belong to whoever came first. */
const ENVIRONMENTS = {
  one: {
    name: 'NAME',
    own: ['keystone', 'api'],
    releases: `
    keystone: {chart: workload, requires: [db]}
    api: {chart: workload, requires: [keystone, {release: cache, kind: applied}]}`,
  },
  two: {
    name: 'NAME-two',
    own: ['web', 'worker'],
    releases: `
    web: {chart: workload, requires: [db, cache]}
    worker: {chart: workload, requires: [{release: web, kind: applied}]}`,
  },
} as const
type EnvironmentName = keyof typeof ENVIRONMENTS

const SHARED = ['db', 'cache'] as const
const ALL = [...SHARED, ...ENVIRONMENTS.one.own, ...ENVIRONMENTS.two.own]
const CHART = join(import.meta.dirname, '../../fixtures/charts/workload')

/** What an operator does in a round. */
interface Turn {
  readonly who: string
  readonly words: readonly string[]
  /** Milliseconds after the other. */
  readonly after: number
}

interface Ended extends Turn {
  readonly exitCode: number | undefined
  readonly said: string
}

export interface MatchOptions {
  readonly dice: Dice
  readonly rounds: number
}

/**
 * Lets two operators of overlapping environments, and sometimes a third with plain helm, do what they will at
 * the same time, round after round, and looks after each whether the cluster is in order.
 */
export async function play({dice, rounds}: MatchOptions): Promise<void> {
  const corner = await openCorner()
  for (let round = 1; round <= rounds; round++) {
    const before = await observe(corner.name)
    const turns = await throwTurns(corner, dice)
    const helm = dice.percent(30) ? throwHelm(corner, dice) : undefined
    const [ended, interference] = await Promise.all([
      Promise.all(turns.map((turn) => take(corner, turn))),
      helm && interfere(helm),
    ])

    const account = accountOf({round, seed: dice.seed, ended, interference})
    const after = await observe(corner.name)
    for (const {exitCode, said} of ended) {
      expect([0, 1, 2, 3], account).toContain(exitCode)
      expect(said, account).not.toContain('KK_BUG')
    }
    const mayRemove = turns.some(({words}) => words[0] === 'remove' || words[0] === 'destroy')
    await expectOrder({namespace: corner.name, releases: ALL, before, after, mayRemove, account})
    if (interference) await expectDetected(corner, account)
  }
  await expectPeace(corner, `KK_TEST_SEED=${dice.seed}`)
}

async function throwTurns(corner: Corner, dice: Dice): Promise<readonly Turn[]> {
  const first = dice.pick(['one', 'two'] as const)
  const second = dice.pick(['one', 'one', 'two', 'two', first] as const)
  return Promise.all(
    [first, second].map(async (environment, index) => {
      const file = `operator-${index + 1}.yaml`
      await writeEnvironment(corner, {environment, file, round: dice.between(1, 3)})
      const after = index === 0 ? 0 : dice.between(0, 1500)
      return {
        who: `operator ${index + 1} (${environment})`,
        words: throwWords(dice, environment, {file, corner}),
        after,
      }
    }),
  )
}

interface EnvironmentFile {
  readonly environment: EnvironmentName
  readonly file: string
  /** Goes to the values of every release: another one is an upgrade of all. */
  readonly round: number
}

function writeEnvironment(corner: Corner, {environment, file, round}: EnvironmentFile): Promise<string> {
  const {name, releases, own} = ENVIRONMENTS[environment]
  const text = `
kk:
  name: ${name}
  namespace: NAME
  charts: [CHARTS]
  releases:
    db: {chart: workload}
    cache: {chart: workload}${releases}
global: {round: ${round}}
${own.map((release) => `${release}: {}`).join('\n')}
`
  return corner.write(file, text)
}

function throwWords(
  dice: Dice,
  environment: EnvironmentName,
  {file, corner}: {readonly file: string; readonly corner: Corner},
): readonly string[] {
  const {own, name} = ENVIRONMENTS[environment]
  const release = dice.pick([...own, ...SHARED])
  const chance = dice.between(1, 100)
  if (chance <= 40) return ['deploy', file]
  if (chance <= 55) return ['upgrade', release, file]
  if (chance <= 65) return ['remove', release, '-e', file, '--yes']
  if (chance <= 80) return ['remove', release, '-e', file, '--with-dependents', '--yes']
  if (chance <= 93) return ['rollback', file, '--yes']
  return ['destroy', file, '--confirm', name.replace('NAME', corner.name), '--yes']
}

async function take(corner: Corner, turn: Turn): Promise<Ended> {
  await wait(turn.after)
  const {exitCode, stdout, stderr} = await corner.kk(turn.words)
  return {...turn, exitCode, said: `${stdout}\n${stderr}`}
}

/** Plain helm upgrades a release, or rolls it back, and knows nothing of kk. */
function throwHelm(corner: Corner, dice: Dice): Turn {
  const release = dice.pick(ALL)
  const own = ['--namespace', corner.name]
  const words = dice.percent(50)
    ? ['upgrade', release, CHART, '--reuse-values', '--set', `replicas=${dice.between(2, 4)}`, ...own]
    : ['rollback', release, ...own]
  return {who: 'plain helm', words, after: dice.between(0, 2000)}
}

async function interfere(turn: Turn): Promise<Ended> {
  await wait(turn.after)
  const {exitCode, stdout, stderr} = await execa(join(inject('run').toolbox, 'helm4'), turn.words, {
    env: kkEnvironment(),
    extendEnv: false,
    reject: false,
  })
  return {...turn, exitCode, said: `${stdout}\n${stderr}`}
}

/** A revision that helm made alone does not bear the mark of kk: the next plan says so. */
async function expectDetected(corner: Corner, account: string): Promise<void> {
  const {records} = await observe(corner.name)
  const foreign = [...lastOf(records).values()].filter(
    ({labels, revision}) => Number(labels['kk.openstack.org/revision']) !== revision,
  )
  for (const {release, labels} of foreign) {
    const environment = labels['kk.openstack.org/owner'] === corner.name ? 'one' : 'two'
    await writeEnvironment(corner, {environment, file: 'look.yaml', round: 1})
    const {stdout, stderr} = await corner.kk(['plan', 'look.yaml'])
    expect(stdout, `${account}\n${release}: ${stderr}`).toMatch(
      new RegExp(`^.*\\b${release}\\b.*changed outside kk`, 'm'),
    )
  }
}

/**
 * When all have gone home, one deploy of each environment brings it about, and there is nothing more to do.
 */
async function expectPeace(corner: Corner, account: string): Promise<void> {
  const files = ['one', 'two'] as const
  let deployed = ''
  for (const environment of files) {
    await writeEnvironment(corner, {environment, file: `${environment}.yaml`, round: 1})
    const {exitCode, stderr} = await corner.kk(['deploy', `${environment}.yaml`])
    expect(exitCode, `${account}, at the end\n${stderr}`).toBe(0)
    deployed += stderr
  }
  for (const environment of files) {
    const {exitCode, stdout} = await corner.kk(['plan', `${environment}.yaml`, '--detailed-exitcode'])
    expect(exitCode, `${account}, at the end\n${stdout}\nafter\n${deployed}`).toBe(0)
  }
}

interface Account {
  readonly round: number
  readonly seed: number
  readonly ended: readonly Ended[]
  readonly interference: Ended | undefined
}

function accountOf({round, seed, ended, interference}: Account): string {
  const all = interference ? [...ended, interference] : ended
  const turns = all.map(
    ({who, words, after, exitCode, said}) =>
      `--- ${who}, after ${after} ms: ${words.join(' ')}: exit ${exitCode}\n${said.trim()}`,
  )
  return [`dice ${seed}, round ${round}`, ...turns].join('\n')
}
