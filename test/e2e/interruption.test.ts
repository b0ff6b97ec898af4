import {existsSync} from 'node:fs'
import {mkdir, readdir} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, inject, it} from 'vitest'
import type {RunEvent} from '../../src/run/events.ts'
import {atNight} from '../support/night.ts'
import {start} from './support/background.ts'
import {waitFor} from './support/cluster.ts'
import {openCorner} from './support/corner.ts'
import {endings, eventsIn} from './support/events.ts'
import {records} from './support/snapshot.ts'
import {openTerminal} from './support/terminal.ts'

const gating = (event: RunEvent) => event.type === 'release-progressed' && event.phase === 'gate'
const inHook = (event: RunEvent) =>
  event.type === 'release-progressed' && event.phase === 'helm' && event.blames !== undefined

/** What ends kk, with the code of its exit. */
const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 130],
] as const
type Signal = (typeof SIGNALS)[number][0]

describe.concurrent('kk killed', () => {
  it('between the end of helm and the gate lets the next run wait for health, without a revision', async () => {
    const corner = await openCorner(`
kk:
  OWN
  releases: {slow: {chart: workload}}
slow: {pod: {ready-after: 4s}}
`)
    const killed = start(corner, ['deploy', 'env.yaml'])
    await killed.saw(gating, 'the gate is awaited')
    killed.signal('SIGKILL')
    await killed.ended()

    const {actions} = JSON.parse((await corner.kk(['plan', 'env.yaml', '--output', 'json'])).stdout)
    const next = await corner.kk(['deploy', 'env.yaml', '--output', 'ndjson'])
    const last = await corner.kk(['plan', 'env.yaml', '--detailed-exitcode'])

    expect(actions).toMatchObject([{kind: 'await', reasons: ['revision 1 has not passed its gate']}])
    expect(next.exitCode, next.stderr).toBe(0)
    expect(endings(next.stdout)).toEqual(['slow await, revision 1'])
    expect(eventsIn(next.stdout).some(gating)).toBe(true)
    expect(await records(corner.name)).toEqual(['slow 1 deployed'])
    expect(last.exitCode, last.stdout).toBe(0)
  })
})

describe.concurrent('Ctrl-C', () => {
  /** The first of two is in its hook for some seconds. */
  const CHAIN = `
kk:
  OWN
  releases:
    first: {chart: workload}
    second: {chart: workload, requires: [first]}
    apart: {chart: workload}
first: {job: {hook: post-install, pod: {complete-after: 3s}}}
second: {}
apart: {}
`

  const finishes = async (signal: Signal, code: number) => {
    const corner = await openCorner(CHAIN)
    const run = start(corner, ['deploy', 'env.yaml'])
    await run.saw(inHook, 'helm waits for the hook of first')
    await run.saw(({type}) => type === 'release-succeeded', 'apart is installed')

    run.signal(signal)
    const {exitCode, stdout, stderr} = await run.ended()
    const next = await corner.kk(['deploy', 'env.yaml', '--output', 'ndjson'])

    expect(exitCode, stderr).toBe(code)
    expect(endings(stdout)).toEqual([
      'apart install, revision 1',
      'second skipped: nobody interrupted',
      'first install, revision 1',
    ])
    expect(eventsIn(stdout)).toContainEqual(
      expect.objectContaining({type: 'run-interrupting', running: [`${corner.name}/first`]}),
    )
    expect(eventsIn(stdout).at(-1)).toMatchObject({type: 'run-finished', outcome: 'interrupted'})
    expect(stderr).toMatch(/interrupted after .*: 2 installed, 1 skipped\nnext: kk deploy env\.yaml/)
    expect(next.exitCode, next.stderr).toBe(0)
    expect(endings(next.stdout)).toContain('second install, revision 1')
    expect((await records(corner.name)).toSorted()).toEqual([
      'apart 1 deployed',
      'first 1 deployed',
      'second 1 deployed',
    ])
  }
  const title = '%s lets running actions finish, starts no others, and exits with %i; a second run continues'
  it.each(SIGNALS.slice(0, 1))(title, finishes)
  atNight(() => {
    it.each(SIGNALS.slice(1))(title, finishes)
  })

  atNight(() => {
    it('twice terminates helm and reports the state, from which the next run recovers', async () => {
      const corner = await openCorner(CHAIN.replace('complete-after: 3s', 'complete-after: 10m'))
      const run = start(corner, ['deploy', 'env.yaml'])
      await run.saw(inHook, 'helm waits for the hook of first')

      run.signal('SIGINT')
      await run.saw(({type}) => type === 'run-interrupting', 'kk has heard of it')
      run.signal('SIGINT')
      const {exitCode, stdout, stderr} = await run.ended()

      expect(exitCode, stderr).toBe(130)
      expect(endings(stdout)).toEqual(
        expect.arrayContaining(['first failed: KK_INTERRUPTED', 'second skipped: nobody interrupted']),
      )
      expect(stderr).toContain('helm install was terminated: it had time to mark the revision as failed')
      expect(await records(corner.name)).toContain('first 1 failed')

      await corner.write('env.yaml', CHAIN)
      const next = await corner.kk(['deploy', 'env.yaml', '--output', 'ndjson'])

      expect(next.exitCode, next.stderr).toBe(0)
      expect(endings(next.stdout)).toEqual(
        expect.arrayContaining(['first install, revision 2', 'second install, revision 1']),
      )
    })
  })

  atNight(() => {
    it('twice during a gate leaves a release that the next run awaits', async () => {
      const corner = await openCorner(`
kk:
  OWN
  releases: {slow: {chart: workload}}
slow: {pod: {ready-after: 6s}}
`)
      const run = start(corner, ['deploy', 'env.yaml'])
      await run.saw(gating, 'the gate is awaited')

      run.signal('SIGINT')
      await run.saw(({type}) => type === 'run-interrupting', 'kk has heard of it')
      run.signal('SIGINT')
      const {exitCode, stdout, stderr} = await run.ended()
      const next = await corner.kk(['deploy', 'env.yaml', '--output', 'ndjson'])

      expect(exitCode, stderr).toBe(130)
      expect(endings(stdout)).toEqual(['slow failed: KK_INTERRUPTED'])
      expect(endings(next.stdout), next.stderr).toEqual(['slow await, revision 1'])
    })
  })

  atNight(() => {
    it('typed on a terminal with the board has the same effect', async () => {
      const corner = await openCorner(CHAIN)
      const command = `${inject('run').kk} deploy ${corner.directory}/env.yaml --yes`
      const terminal = openTerminal(command, {columns: 120, rows: 30})
      await waitFor(async () => (await records(corner.name)).includes('first 1 pending-install'), {
        until: 'helm installs first',
      })

      terminal.type('\u0003')
      const {exitCode, everything} = await terminal.end()

      expect(exitCode, everything).toBe(130)
      expect(everything).toMatch(/second skipped/)
      expect(everything).toMatch(/interrupted after .*: 2 installed, 1 skipped/)
      expect(await records(corner.name)).toContain('first 1 deployed')
    })
  })
})

const endsAtOnce = async (signal: Signal, code: number) => {
  const corner = await openCorner('kk:\n  OWN\n  releases: {tiny: {chart: workload}}\ntiny: {}\n')
  await mkdir(join(corner.directory, 'tmp'))
  const helm = await corner.helm('case $1 in template) touch "$0.renders"; sleep 5;; esac; exec $HELM "$@"')
  const run = start(corner, ['deploy', 'env.yaml'], {
    env: {KK_HELM: helm, TMPDIR: join(corner.directory, 'tmp')},
  })
  await waitFor(async () => existsSync(`${helm}.renders`), {until: 'helm renders'})

  run.signal(signal)
  const {exitCode, stdout, stderr} = await run.ended()

  expect(exitCode).toBe(code)
  expect(stderr).toContain(`error KK_INTERRUPTED: kk was terminated by ${signal}`)
  expect(JSON.parse(stdout)).toMatchObject({type: 'error', code: 'KK_INTERRUPTED', exit: code})
  expect(await readdir(join(corner.directory, 'tmp'))).toEqual([])
  expect(await records(corner.name)).toEqual([])
}
const TITLE = '%s during rendering ends kk immediately with exit code %i, and leaves no files'
it.concurrent.each(SIGNALS.slice(0, 1))(TITLE, endsAtOnce)
atNight(() => {
  it.concurrent.each(SIGNALS.slice(1))(TITLE, endsAtOnce)
})
