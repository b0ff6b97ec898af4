import {readFile} from 'node:fs/promises'
import {describe, expect, it} from 'vitest'
import type {RunEvent} from '../../src/run/events.ts'
import {type Background, start} from './support/background.ts'
import {type Corner, openCorner} from './support/corner.ts'
import {endings} from './support/events.ts'
import {records} from './support/snapshot.ts'

/** Helm waits for the hook, and its record is pending. */
const HOOKED = `
kk:
  OWN
  releases: {hooked: {chart: workload}}
hooked: {job: {hook: 'post-install,post-upgrade', pod: {complete-after: TIME}}}
`
const hooked = (time: string) => HOOKED.replace('TIME', time)
const REMEMBER_PID =
  'case $1 in install|upgrade|rollback|uninstall) echo $$ > "$0.pid";; esac; exec $HELM "$@"'

const inHook = (event: RunEvent) =>
  event.type === 'release-progressed' && event.phase === 'helm' && event.blames !== undefined

/** kk, started, when its helm waits for a hook; and how to kill each of the two. */
interface AtWork {
  readonly run: Background
  killKk(): Promise<void>
  killHelm(): Promise<void>
}

async function atWork(corner: Corner): Promise<AtWork> {
  const helm = await corner.helm(REMEMBER_PID)
  const run = start(corner, ['deploy', 'env.yaml'], {env: {KK_HELM: helm}})
  await run.saw(inHook, 'helm waits for the hook')
  return {
    run,
    async killKk() {
      run.signal('SIGKILL')
      await run.ended()
    },
    killHelm: async () => void process.kill(Number(await readFile(`${helm}.pid`, 'utf8')), 'SIGKILL'),
  }
}

async function deploy(corner: Corner) {
  const {exitCode, stdout, stderr} = await corner.kk(['deploy', 'env.yaml', '--output', 'ndjson'])
  expect(exitCode, stderr).toBe(0)
  return {endings: endings(stdout), stderr}
}

describe.concurrent('kk killed together with its helm', () => {
  it('leaves a pending release, which plan and status tell, and the next deploy recovers at once', async () => {
    const corner = await openCorner(hooked('10m'))
    const work = await atWork(corner)
    await work.killKk()
    await work.killHelm()
    await corner.write('env.yaml', hooked('0s'))

    const status = await corner.kk(['status', 'env.yaml'])
    const plan = await corner.kk(['plan', 'env.yaml'])
    const begun = performance.now()
    const next = await deploy(corner)
    const seconds = (performance.now() - begun) / 1000

    expect(status.exitCode).toBe(1)
    expect(status.stdout).toMatch(/^hooked +1 +pending-install/m)
    const reason =
      /revision 1 was left pending-install by run \S+, whose helm is gone: marked failed, then upgraded/
    expect(plan.stdout).toMatch(reason)
    expect(next.stderr).toMatch(reason)
    expect(next.endings).toEqual(['hooked upgrade, revision 2'])
    expect(await records(corner.name)).toEqual(['hooked 1 superseded', 'hooked 2 deployed'])
    // The Lease of the dead run lasts for a minute.
    expect(seconds).toBeLessThan(40)
  })
})

describe.concurrent('kk killed alone', () => {
  it('leaves a helm that is waited for, and nothing is done twice', async () => {
    const corner = await openCorner(hooked('15s'))
    const work = await atWork(corner)
    await work.killKk()

    const next = await deploy(corner)

    expect(next.stderr).toMatch(
      /hooked: run \S+ is gone, but its helm install \(process \d+\) still works: waiting for it/,
    )
    expect(next.endings).toEqual(['hooked await, revision 1'])
    expect(await records(corner.name)).toEqual(['hooked 1 deployed'])
  })
})

describe.concurrent('helm killed alone', () => {
  it('fails the run, which marks the release failed itself; the next deploy upgrades it', async () => {
    const corner = await openCorner(hooked('10m'))
    const work = await atWork(corner)

    await work.killHelm()
    const {exitCode, stderr} = await work.run.ended()
    const after = await records(corner.name)
    await corner.write('env.yaml', hooked('0s'))
    const next = await deploy(corner)

    expect(exitCode, stderr).toBe(1)
    expect(after).toEqual(['hooked 1 failed'])
    expect(next.endings).toEqual(['hooked upgrade, revision 2'])
  })
})
