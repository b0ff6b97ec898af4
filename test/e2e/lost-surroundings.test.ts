import {existsSync} from 'node:fs'
import {readdir, readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {describe, expect, inject, it} from 'vitest'
import {identifyProcess} from '../../src/state/processes/process-identity.ts'
import {atNight} from '../support/night.ts'
import {waitFor} from './support/cluster.ts'
import {type Corner, openCorner} from './support/corner.ts'
import {endings} from './support/events.ts'
import {kkEnvironment} from './support/kk.ts'
import {holders} from './support/leases.ts'
import {records} from './support/snapshot.ts'
import {openTerminal} from './support/terminal.ts'

const CHAIN = `
kk:
  OWN
  releases:
    first: {chart: workload}
    second: {chart: workload, requires: [first]}
first: {}
second: {}
`
const EVERYTHING = ['first 1 deployed', 'second 1 deployed']

/** kk goes on by itself: one more deploy leaves everything deployed, and nobody waits for a Lease. */
async function expectNextDeploy(corner: Corner): Promise<void> {
  const {exitCode, stderr} = await corner.kk(['deploy', 'env.yaml'])
  expect(exitCode, stderr).toBe(0)
  expect(stderr).not.toContain('it is held by')
  expect((await records(corner.name)).toSorted()).toEqual(EVERYTHING)
  expect(await holders(corner.name)).toEqual([])
}

/** A helm that, when it is to install, says so and waits for `go`. */
const heldHelm = (corner: Corner) =>
  corner.helm(`
case $1 in install)
  touch called
  until [ -e go ]; do sleep 0.05; done
esac
exec $HELM "$@"`)

const called = ({directory}: Corner) =>
  waitFor(async () => existsSync(join(directory, 'called')), {until: 'helm is called'})

/** A line of shell in the corner, with `$KK`. */
const shell = ({directory}: Corner, line: string, env: Readonly<Record<string, string>> = {}) =>
  execa('sh', ['-c', line], {
    cwd: directory,
    env: {...kkEnvironment(), KK: inject('run').kk, ...env},
    extendEnv: false,
    reject: false,
  })

describe.concurrent('a terminal that is closed', () => {
  it('lets helm finish, starts nothing more, and leaves a state from which the next run continues', async () => {
    const corner = await openCorner(CHAIN)
    const line = `cd ${corner.directory}; echo $$ > pid; exec ${inject('run').kk} deploy env.yaml --yes --report json=kk.json`
    const terminal = openTerminal(line, {columns: 100, rows: 30, env: {KK_HELM: await heldHelm(corner)}})
    await called(corner)
    const pid = Number(await readFile(join(corner.directory, 'pid'), 'utf8'))

    await terminal.close()
    // A shell tells its jobs, too.
    process.kill(pid, 'SIGHUP')
    await corner.write('go', '')
    await waitFor(async () => !(await identifyProcess(pid)), {until: 'kk has ended'})

    const report = JSON.parse(await readFile(join(corner.directory, 'kk.json'), 'utf8'))
    expect(report.outcome).toBe('interrupted')
    expect(report.releases.map(({state}: {state: string}) => state)).toEqual(['succeeded', 'skipped'])
    expect(await records(corner.name)).toEqual(['first 1 deployed'])
    expect(await holders(corner.name)).toEqual([])
    await expectNextDeploy(corner)
  })
})

atNight(() => {
  describe.concurrent('a run whose output cannot be written', () => {
    const outputs = [
      [
        'a pipe that is closed',
        '{ $KK deploy env.yaml --output ndjson; echo $? > exit; } 2>&1 | head -n 1',
        '0',
      ],
      ['a full disk, for lines', '$KK deploy env.yaml 2> /dev/full; echo $? > exit', '0'],
      ['a full disk, for data', '$KK deploy env.yaml --output ndjson > /dev/full; echo $? > exit', '1'],
    ] as const
    const endsRight = async (_: string, line: string, exit: string) => {
      const corner = await openCorner(CHAIN)

      const {stderr} = await shell(corner, line)

      expect((await readFile(join(corner.directory, 'exit'), 'utf8')).trim(), stderr).toBe(exit)
      expect((await records(corner.name)).toSorted()).toEqual(EVERYTHING)
      await expectNextDeploy(corner)
    }
    const title = 'ends with the expected exit code and result: %s'
    it.each(outputs)(title, endsRight)
  })
})

atNight(() => {
  describe.concurrent('a full disk', () => {
    /** From the first call of helm for this verb on, kk can write no file beyond so many bytes. */
    const full = (corner: Corner, verb: string, bytes: number) =>
      corner.helm(`
case $1 in ${verb}) [ -e full ] || prlimit --pid $PPID --fsize=${bytes}; touch full;; esac
exec $HELM "$@"`)

    it('that cannot hold the charts prevents the run, and nothing is changed', async () => {
      const corner = await openCorner(CHAIN)
      // A limit that the files of the executable do not meet: they are there already.
      await corner.kk(['plan', 'env.yaml'])

      const {exitCode, stderr} = await shell(corner, 'ulimit -f 0; exec $KK deploy env.yaml --yes')

      expect(exitCode, stderr).toBe(2)
      expect(stderr).toMatch(
        /error KK_FILE: the directory \S+\/kk-run-\S+ cannot be written \(EFBIG\); nothing was/,
      )
      expect(await records(corner.name)).toEqual([])
      await expectNextDeploy(corner)
    })

    it('that cannot hold the journal before the first change prevents the run, and nothing is changed', async () => {
      const corner = await openCorner(CHAIN)
      const state = join(corner.directory, 'state')
      const env = {KK_HELM: await full(corner, 'template', 0), XDG_STATE_HOME: state}

      const {exitCode, stderr} = await corner.kk(['deploy', 'env.yaml'], {env})

      expect(exitCode, stderr).toBe(2)
      expect(stderr).toMatch(
        /error KK_FILE: the journal of the run cannot be written: .* \(EFBIG\); nothing was changed/,
      )
      expect(await records(corner.name)).toEqual([])
      expect(await readdir(join(state, 'kk', 'runs'))).toEqual([])
      await expectNextDeploy(corner)
    })

    it('that cannot hold the journal later is reported, and the run continues to its end', async () => {
      const corner = await openCorner(CHAIN)
      const env = {KK_HELM: await full(corner, 'install', 10)}

      const {exitCode, stdout, stderr} = await corner.kk(['deploy', 'env.yaml', '--output', 'ndjson'], {env})

      expect(exitCode, stderr).toBe(0)
      expect(stderr).toMatch(
        /warning: the journal \S+ can no longer be written \(EFBIG\); the run continues without it/,
      )
      expect(endings(stdout)).toEqual(['first install, revision 1', 'second install, revision 1'])
      await expectNextDeploy(corner)
    })
  })
})
