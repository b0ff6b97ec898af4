import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, inject, it} from 'vitest'
import type {RunDocument} from '../../src/report/run/run-json.ts'
import {atNight} from '../support/night.ts'
import {makeEnvironment, type TestEnvironment, workloads} from './support/environment.ts'
import {openTerminal} from './support/terminal.ts'

const LATE = {values: {pod: {'ready-after': '5s'}}}
const SIZE = {columns: 100, rows: 30}

const deploy = ({file, helm}: TestEnvironment, ...flags: readonly string[]) =>
  [`KK_HELM=${helm}`, inject('run').kk, 'deploy', file, ...flags].join(' ')

describe.concurrent('a deploy on a terminal', () => {
  it('shows the plan, asks, and then shows running and waiting releases until all are done', async () => {
    const environment = await makeEnvironment({content: workloads({db: LATE, api: {requires: ['db']}})})
    const terminal = openTerminal(deploy(environment), SIZE)

    await terminal.shows(/\+ install +api[\s\S]*plan: 2 to install[\s\S]*deploy these releases.*\[y\/N\]/)
    terminal.type('y\r')
    const running = await terminal.shows(/db +\d+ s +gate .*Deployment\/db: 0 of 1 replicas are available/)
    const {exitCode, everything} = await terminal.end()

    expect(running.join('\n')).toMatch(/waiting: api for db\n0 of 2 done · 1 running · 1 waiting · \d+ s/)
    expect(exitCode, everything).toBe(0)
    expect(everything).toMatch(/db +installed, revision 1[\s\S]*api +installed, revision 1/)
    expect(everything).toMatch(/done in \d+ s: 2 installed\nnext: kk status/)
    expect(everything).not.toMatch(/waiting: |running · /)
  })

  atNight(() => {
    it('leaves nothing of the board behind, with more releases than rows on the screen', async () => {
      const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((letter) => `release-${letter}`)
      const environment = await makeEnvironment({
        content: workloads(Object.fromEntries(names.map((name) => [name, LATE]))),
      })
      const terminal = openTerminal(deploy(environment, '--yes'), {columns: 60, rows: 6})

      const crowded = await terminal.shows(/and \d+ more running/)
      const {exitCode, everything} = await terminal.end()

      expect(crowded.length).toBe(6)
      expect(Math.max(...crowded.map((row) => row.length))).toBeLessThanOrEqual(60)
      expect(exitCode, everything).toBe(0)
      for (const name of names) {
        expect(everything.match(new RegExp(`${name} +installed`, 'g')), everything).toHaveLength(1)
      }
      expect(everything).not.toMatch(/more running|gate|waiting: /)
    })
  })

  atNight(() => {
    it('keeps standard output for data', async () => {
      const environment = await makeEnvironment({content: workloads({db: LATE})})
      const output = join(environment.directory, 'run.json')
      const terminal = openTerminal(`${deploy(environment, '--yes', '--output', 'json')} > ${output}`, SIZE)

      await terminal.shows(/0 of 1 done · 1 running/)
      const {exitCode, everything} = await terminal.end()

      expect(exitCode, everything).toBe(0)
      expect(JSON.parse(await readFile(output, 'utf8')) as RunDocument).toMatchObject({
        releases: [{release: `${environment.name}/db`, state: 'succeeded'}],
      })
      expect(everything).toContain('1 installed')
    })
  })

  it('without cursor control prints lines', async () => {
    const environment = await makeEnvironment({content: workloads({db: {}})})

    const {exitCode, everything} = await openTerminal(deploy(environment, '--yes'), {
      ...SIZE,
      env: {TERM: 'dumb'},
    }).end()

    expect(exitCode, everything).toBe(0)
    expect(everything).toMatch(/^00:00 db +installing$/m)
  })
})
