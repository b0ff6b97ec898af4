import {createHash} from 'node:crypto'
import {beforeAll, describe, expect, it} from 'vitest'
import type {ReleaseStatus} from '../../src/verbs/observation/release-status.ts'
import {get} from './support/cluster.ts'
import {allInOne, makeEnvironment, type TestEnvironment} from './support/environment.ts'
import {eventsIn} from './support/events.ts'
import {helmRecords} from './support/records.ts'

const REQUIREMENTS: Readonly<Record<string, readonly string[]>> = {
  mariadb: [],
  rabbitmq: [],
  memcached: [],
  keystone: ['mariadb', 'memcached', 'rabbitmq'],
  glance: ['keystone', 'mariadb', 'memcached', 'rabbitmq'],
  horizon: ['keystone', 'memcached'],
}
const SIX = Object.keys(REQUIREMENTS)

describe('the first deploy of the six charts', () => {
  let environment: TestEnvironment
  let deployed: Awaited<ReturnType<TestEnvironment['kk']>>
  beforeAll(async () => {
    environment = await makeEnvironment({content: await allInOne()})
    deployed = await environment.kk('deploy', '--output', 'ndjson')
  })

  it('succeeds and creates the namespace', async () => {
    expect(deployed.exitCode, deployed.stderr).toBe(0)
    await expect(get('namespace', environment.name)).resolves.toMatchObject({status: {phase: 'Active'}})
  })

  it('streams events as one JSON document per line', () => {
    const events = eventsIn(deployed.stdout)

    expect(events.at(0)).toMatchObject({type: 'run-started', environment: environment.name})
    expect(events.at(-1)).toMatchObject({type: 'run-finished', outcome: 'succeeded', succeeded: 6, failed: 0})
    for (const name of SIX) {
      const release = `${environment.name}/${name}`
      const own = events.filter((event) => 'release' in event && event.release === release)
      expect(own.at(0)).toMatchObject({type: 'release-started', kind: 'install'})
      expect(own.at(-1)).toMatchObject({type: 'release-succeeded', revision: 1})
    }
  })

  it('prints one line per event and the next command on standard error', () => {
    expect(deployed.stderr).toContain('plan: 6 to install')
    expect(deployed.stderr).toMatch(/^\d\d:\d\d keystone +installed, revision 1, (\d+ m )?\d+ s$/m)
    expect(deployed.stderr).toMatch(/^done in .*: 6 installed\nnext: kk status /m)
  })

  it('leaves records with their owner, tool, requirements and passed gate', async () => {
    const uses = (name: string) =>
      `uses.kk.openstack.org/${createHash('sha256').update(`${environment.name}/${name}`).digest('hex').slice(0, 40)}`

    const records = await helmRecords(environment.name)

    expect(records.map(({name}) => name).sort()).toEqual([...SIX].sort())
    for (const {name, revision, status, labels} of records) {
      expect({name, revision, status}).toEqual({name, revision: 1, status: 'deployed'})
      expect(labels).toMatchObject({
        'kk.openstack.org/owner': environment.name,
        'kk.openstack.org/inputs': expect.stringMatching(/^[0-9a-f]{40}$/),
        'kk.openstack.org/revision': '1',
        'kk.openstack.org/gated': '1',
      })
      const edges = Object.entries(labels).filter(([label]) => label.startsWith('uses.kk.openstack.org/'))
      expect(Object.fromEntries(edges)).toEqual(
        Object.fromEntries(REQUIREMENTS[name]!.map((required) => [uses(required), 'ready'])),
      )
    }
  })

  it('is healthy in kk status, which exits with 0', async () => {
    const {releases} = await environment.json<{releases: ReleaseStatus[]}>('status')

    expect(releases.map(({release}) => release).sort()).toEqual(
      SIX.map((name) => `${environment.name}/${name}`).sort(),
    )
    for (const release of releases) {
      expect(release).toMatchObject({
        revision: 1,
        status: 'deployed',
        inputs: 'current',
        health: {state: 'healthy'},
        owner: environment.name,
      })
    }
  })

  it('leaves no Lease', async () => {
    const {items} = await get<{items: {metadata: {annotations: Record<string, string>}}[]}>(
      'leases',
      '--namespace',
      'kk-system',
    )

    const held = items.map(({metadata}) => metadata.annotations['kk.openstack.org/release'])
    expect(held.filter((release) => release?.startsWith(`${environment.name}/`))).toEqual([])
  })
})
