import {dirname} from 'node:path'
import {beforeAll, describe, expect, inject, it} from 'vitest'
import type {StatusReport} from '../../src/verbs/observation/release-status.ts'
import {atNight} from '../support/night.ts'
import {start} from './support/background.ts'
import {kubectl} from './support/cluster.ts'
import {type Corner, openCorner, TWO} from './support/corner.ts'
import {makeEnvironment, workloads} from './support/environment.ts'
import {plainHelm} from './support/plain-helm.ts'
import {openTerminal} from './support/terminal.ts'

atNight(() => {
  it('status and plan report a deleted object as drift, and a missing chart does not hide other releases', async () => {
    const content = (more: object) => ({...workloads({api: {values: {conf: {a: 'b'}}}}), ...more})
    const environment = await makeEnvironment({content: content({})})
    await environment.deploy()
    await kubectl(['delete', 'configmap', 'api', '--namespace', environment.name])

    const planned = await environment.kk('plan')
    await environment.write(content({nowhere: {}}))
    const {exitCode, stdout, stderr} = await environment.kk('status')

    expect(planned.exitCode, planned.stderr).toBe(0)
    expect(planned.stdout).toContain('note: api drifted: ConfigMap/api is missing on the cluster')
    expect(stdout).toMatch(/^api +1 +deployed +healthy +current/m)
    expect(stdout).toMatch(/^nowhere +– +not installed/m)
    expect(stdout).toContain('api: gone from the cluster: ConfigMap/api; to create it again: kk upgrade api')
    expect(stderr).toMatch(/note: what nowhere would be made of is unknown: .*: no source of charts has/)
    expect(exitCode).toBe(1)
  })
})

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

  it('names dependents in other environments, and those that plain helm installed', async () => {
    await installByHelm(corner)
    const text = await corner.kk(['status', 'env.yaml'])
    const json = await corner.kk(['status', 'env.yaml', 'db', '--output', 'json'])

    const {releases} = JSON.parse(json.stdout) as StatusReport
    expect(text.exitCode, text.stderr).toBe(0)
    expect(text.stdout).toContain(
      `db: also required by web (environment ${corner.name}-other), pages (not installed by kk)`,
    )
    expect(releases.map(({dependents}) => dependents)).toEqual([
      [
        {release: `${corner.name}/api`, environment: corner.name},
        {release: `${corner.name}-other/web`, environment: `${corner.name}-other`},
        {release: `${corner.name}/pages`, isForeign: true},
      ],
    ])
  })

  it('needs no file if the environment is specified, and lists the existing environments', async () => {
    const {exitCode, stdout} = await corner.kk(['status', '--owner', `${corner.name}-other`])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^web +1 +deployed +healthy +unknown/m)
  })

  it.each(['status', 'drift', 'history'])(
    'kk %s with an unknown owner is refused with a suggestion',
    async (verb) => {
      const {exitCode, stderr} = await corner.kk([verb, '--owner', `${corner.name}-othr`])

      expect(exitCode).toBe(2)
      expect(stderr).toContain(`did you mean ${corner.name}-other?`)
    },
  )

  it('redraws changes on a terminal until Ctrl-C', async () => {
    const words = `${inject('run').kk} status ${corner.directory}/env.yaml --watch`
    const terminal = openTerminal(words, {columns: 140, rows: 20})
    await terminal.shows(/api +1 +deployed +healthy/)

    await kubectl(['delete', 'deployment', 'api', '--namespace', corner.name])

    await terminal.shows(/api +1 +deployed +waiting[\s\S]*api: Deployment\/api: it does not exist/)
    terminal.type('\u0003')
    expect((await terminal.end()).exitCode).toBe(130)
  })

  it('prints a document per change without a terminal', async () => {
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

/** `pages`, whose chart says that it requires `db`. */
async function installByHelm({name, write}: Corner): Promise<void> {
  const annotations = {'kk.openstack.org/requires': 'db'}
  const chart = {apiVersion: 'v2', name: 'pages', version: '1.0.0', annotations}
  const file = await write('pages/Chart.yaml', JSON.stringify(chart))
  const {exitCode, stderr} = await plainHelm(['install', 'pages', dirname(file), '--namespace', name])
  expect(exitCode, stderr).toBe(0)
}
