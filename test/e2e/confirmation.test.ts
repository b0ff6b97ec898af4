import {readdir} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, inject, it} from 'vitest'
import {atNight} from '../support/night.ts'
import {type Corner, openCorner} from './support/corner.ts'
import {records, snapshot} from './support/snapshot.ts'
import {openTerminal} from './support/terminal.ts'

const ENVIRONMENT = `
kk:
  OWN
  releases: {api: {chart: workload}}
api: {}
`

/** Runs kk on a terminal, and types the answer when it is asked. */
async function answering(corner: Corner, args: string, answer: string) {
  const command = `cd ${corner.directory} && ${inject('run').kk} ${args}`
  const terminal = openTerminal(command, {columns: 100, rows: 30})
  await terminal.shows(/\[y\/N\]/)
  terminal.type(answer)
  const {exitCode, everything} = await terminal.end()
  return {exitCode, shown: everything}
}

describe.concurrent('on a terminal', () => {
  const answers = [
    ['n', 'n\r'],
    ['Ctrl-C', '\u0003'],
    ['an empty line', '\r'],
    ['Ctrl-D', '\u0004'],
  ] as const
  const changesNothing = async (_: string, answer: string) => {
    const corner = await openCorner(ENVIRONMENT)

    const {exitCode, shown} = await answering(corner, 'deploy env.yaml', answer)

    expect(exitCode).toBe(3)
    expect(shown).toMatch(/\+ install +api +workload 1\.0\.0 +not installed/)
    expect(shown).toContain(`deploy these releases to ${inject('run').context}? [y/N]`)
    expect(shown).toMatch(
      /\nerror KK_UNCONFIRMED: not confirmed; nothing was changed\nhint: answer y, or pass --yes/,
    )
    expect(await snapshot(corner.name)).toBe('')
  }
  const title = 'kk deploy shows the plan and asks, and the answer %s changes nothing'
  it.each(answers.slice(0, 2))(title, changesNothing)

  it('kk deploy continues after the answer y', async () => {
    const corner = await openCorner(ENVIRONMENT)

    const {exitCode, shown} = await answering(corner, 'deploy env.yaml', 'y\r')

    expect(exitCode, shown).toBe(0)
    expect(await records(corner.name)).toEqual(['api 1 deployed'])
  })

  atNight(() => {
    it.each(answers.slice(2))(title, changesNothing)

    it('kk upgrade asks for confirmation, too', async () => {
      const corner = await openCorner(ENVIRONMENT)
      await corner.kk(['deploy', 'env.yaml'])
      const before = await snapshot(corner.name)

      const {exitCode, shown} = await answering(corner, 'upgrade env.yaml api --set api:replicas=2', 'n\r')

      expect(exitCode, shown).toBe(3)
      expect(shown).toMatch(/~ upgrade +api .* --set changed/)
      expect(await snapshot(corner.name)).toBe(before)
    })
  })
})

describe.concurrent('without a terminal', () => {
  atNight(() => {
    it('kk deploy and kk upgrade continue without --yes', async () => {
      const corner = await openCorner(ENVIRONMENT)

      const deploy = await corner.kk(['deploy', 'env.yaml'])
      const upgrade = await corner.kk(['upgrade', 'env.yaml', 'api', '--set', 'api:replicas=2'])

      expect([deploy.exitCode, upgrade.exitCode], upgrade.stderr).toEqual([0, 0])
      expect((await records(corner.name)).toSorted()).toEqual(['api 1 superseded', 'api 2 deployed'])
    })
  })

  it('kk charts publish needs --yes, unless there is nothing to publish', async () => {
    const corner = await openCorner(ENVIRONMENT)
    const words = ['charts', 'publish', 'repository', 'memcached']

    const refused = await corner.kk(words)
    const left = await readdir(join(corner.directory, 'repository')).catch(() => [])
    const confirmed = await corner.kk([...words, '--yes'])
    const again = await corner.kk(words)

    expect(refused).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('error KK_UNCONFIRMED: cannot ask'),
    })
    expect(left).toEqual([])
    expect([confirmed.exitCode, again.exitCode], again.stderr).toEqual([0, 0])
    expect(again.stdout).toContain('already there')
  })

  it('--dry-run shows the plan on standard output and changes nothing', async () => {
    const corner = await openCorner(ENVIRONMENT)

    const {exitCode, stdout} = await corner.kk(['deploy', 'env.yaml', '--dry-run', '--yes'])

    expect(exitCode).toBe(0)
    expect(stdout).toContain('plan: 1 to install')
    expect(await snapshot(corner.name)).toBe('')
  })
})
