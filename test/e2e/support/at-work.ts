import {readFile, rm} from 'node:fs/promises'
import {expect} from 'vitest'
import {type Background, start} from './background.ts'
import {waitFor} from './cluster.ts'
import type {Corner} from './corner.ts'
import {endings} from './events.ts'
import {records} from './snapshot.ts'

interface Hook {
  /** At which helm waits, with the record unfinished. */
  readonly hook: string
  readonly time: string
  readonly replicas?: number
}

export const hooked = ({hook, time, replicas = 1}: Hook) => `
kk:
  OWN
  releases: {hooked: {chart: workload}}
hooked: {replicas: ${replicas}, job: {hook: '${hook}', pod: {complete-after: ${time}}}, auth: {password: correct-horse-battery}}
`
export const installing = (time: string) => hooked({hook: 'post-install,post-upgrade', time})

const REMEMBER_PID =
  'case $1 in install|upgrade|rollback|uninstall) echo $$ > "$0.pid";; esac; exec $HELM "$@"'

/** A kk whose helm waits for a hook; and how to kill each of the two. */
export interface AtWork {
  readonly run: Background
  killKk(): Promise<void>
  killHelm(): Promise<void>
  signalHelm(signal: NodeJS.Signals): Promise<void>
}

export interface Working {
  readonly words?: readonly string[]
  /** What the record says by then. */
  readonly until?: string
  readonly version?: 3 | 4
}

export async function atWork(
  corner: Corner,
  {words = ['deploy', 'env.yaml'], until = 'hooked 1 pending-install', version = 4}: Working = {},
): Promise<AtWork> {
  const helm = await corner.helm(`HELM=$(dirname $HELM)/helm${version}; ${REMEMBER_PID}`)
  const run = start(corner, words, {env: {KK_HELM: helm}})
  await waitFor(async () => (await records(corner.name)).includes(until), {until})
  const signalHelm = async (signal: NodeJS.Signals) =>
    void process.kill(Number(await readFile(`${helm}.pid`, 'utf8')), signal)
  return {
    run,
    signalHelm,
    async killKk() {
      run.signal('SIGKILL')
      await run.ended()
    },
    async killHelm() {
      await signalHelm('SIGKILL')
      await rm(`${helm}.pid`)
    },
  }
}

export async function succeed(
  corner: Corner,
  words: readonly string[],
  env: Readonly<Record<string, string>> = {},
) {
  const {exitCode, stdout, stderr} = await corner.kk([...words, '--output', 'ndjson'], {env})
  expect(exitCode, stderr).toBe(0)
  return {endings: endings(stdout), stderr}
}
export const deploy = (corner: Corner) => succeed(corner, ['deploy', 'env.yaml'])

/** Runs kk, and does something when it says that it waits. */
export async function whileWaiting(corner: Corner, words: readonly string[], action: () => Promise<void>) {
  const running = corner.kk([...words, '--output', 'ndjson'])
  let said = ''
  running.stderr.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const waits = waitFor(async () => said.includes('waiting for it'), {until: `kk ${words[0]} waits`})
  await Promise.race([waits, running])
  await action()
  return {next: await running, said}
}
