import {beforeAll, describe, expect, inject, it} from 'vitest'
import type {StatusReport} from '../../src/verbs/observation/release-status.ts'
import {start} from './support/background.ts'
import {kubectl} from './support/cluster.ts'
import {type Corner, openCorner, TWO} from './support/corner.ts'
import {openTerminal} from './support/terminal.ts'

describe('kk status', () => {
  let corner: Corner
  beforeAll(async () => {
    corner = await openCorner(TWO)
    await corner.write(
      'other.yaml',
      'kk:\n  name: NAME-other\n  namespace: NAME-other\n  charts: [CHARTS]\n  releases: {web: {chart: workload, requires: [NAME/db]}}\nweb: {}\n',
    )
    for (const file of ['env.yaml', 'other.yaml']) {
      const {exitCode, stderr} = await corner.kk(['deploy', file])
      expect(exitCode, stderr).toBe(0)
    }
  })

  it('names dependents of other environments', async () => {
    const text = await corner.kk(['status', 'env.yaml'])
    const json = await corner.kk(['status', 'env.yaml', 'db', '--output', 'json'])

    const {releases} = JSON.parse(json.stdout) as StatusReport
    expect(text.exitCode, text.stderr).toBe(0)
    expect(text.stdout).toContain(`db: also required by web (environment ${corner.name}-other)`)
    expect(releases.map(({dependents}) => dependents)).toEqual([
      [
        {release: `${corner.name}/api`, environment: corner.name},
        {release: `${corner.name}-other/web`, environment: `${corner.name}-other`},
      ],
    ])
  })

  it('needs no file where the environment is named, and tells which there are', async () => {
    const {exitCode, stdout} = await corner.kk(['status', '--owner', `${corner.name}-other`])
    const unknown = await corner.kk(['status', '--owner', 'nobody'])

    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^web +1 +deployed +healthy +unknown/m)
    expect(unknown.exitCode).toBe(2)
    expect(unknown.stderr).toContain(corner.name)
  })

  it('draws on a terminal what has changed, until Ctrl-C', async () => {
    const words = `${inject('run').kk} status ${corner.directory}/env.yaml --watch`
    const terminal = openTerminal(words, {columns: 140, rows: 20})
    await terminal.shows(/api +1 +deployed +healthy/)

    await kubectl(['delete', 'deployment', 'api', '--namespace', corner.name])

    await terminal.shows(/api +1 +deployed +waiting[\s\S]*api: Deployment\/api: it does not exist/)
    terminal.type('\u0003')
    expect((await terminal.end()).exitCode).toBe(130)
  })

  it('prints a document for each change where there is no terminal', async () => {
    const watch = start(corner, ['status', '--owner', corner.name, '--watch'])
    const saw = (type: string, release: string) =>
      watch.saw((event) => {
        const {release: row} = event as unknown as {release?: {release: string}}
        return (event.type as string) === type && row?.release === `${corner.name}/${release}`
      }, `${type} of ${release}`)
    await saw('release-seen', 'db')

    await kubectl(['delete', 'secret', 'sh.helm.release.v1.api.v1', '--namespace', corner.name])

    await saw('release-gone', 'api')
    watch.signal('SIGINT')
    expect((await watch.ended()).exitCode).toBe(130)
  })
})
