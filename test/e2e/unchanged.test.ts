import {beforeAll, describe, expect, it} from 'vitest'
import {usesLabel} from '../../src/plan/labels.ts'
import {releaseId} from '../../src/release.ts'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import type {RunDocument} from '../../src/report/run/run-json.ts'
import {atNight} from '../support/night.ts'
import {auditEvents, kubectl} from './support/cluster.ts'
import {makeEnvironment, type TestEnvironment, workloads} from './support/environment.ts'
import {helmRecords, revisions} from './support/records.ts'

async function deployed(releases: Parameters<typeof workloads>[0]): Promise<TestEnvironment> {
  const environment = await makeEnvironment({content: workloads(releases)})
  await environment.deploy()
  return environment
}

/** How many requests of kk and helm would change anything in a namespace. */
async function writes(namespace: string): Promise<number> {
  const events = (await auditEvents(namespace)).filter(({userAgent}) => /^(kk|Helm)/.test(userAgent ?? ''))
  return events.filter(({verb}) => verb !== 'get' && verb !== 'list').length
}

describe('a second deploy', () => {
  let environment: TestEnvironment
  beforeAll(async () => {
    environment = await deployed({db: {}, cache: {}, api: {requires: ['db']}})
  })

  it('of the same environment starts no helm, writes nothing and exits with 0', async () => {
    const calls = await environment.helmCalls()
    const before = await writes(environment.name)

    const {exitCode, stdout, stderr} = await environment.kk('deploy')

    expect([exitCode, stdout], stderr).toEqual([0, ''])
    expect(stderr).toContain('plan: 3 unchanged')
    expect(calls.filter((call) => call.startsWith('install'))).toHaveLength(3)
    expect(await environment.helmCalls()).toEqual(calls)
    expect(before).toBeGreaterThan(0)
    expect(await writes(environment.name)).toBe(before)
    expect(await revisions(environment.name)).toEqual({api: 1, cache: 1, db: 1})
  })

  it('works without helm', async () => {
    const {exitCode, stderr} = await environment.kk('deploy', '--helm', '/nonexistent/helm')

    expect(exitCode, stderr).toBe(0)
  })

  it('reports no changes with --output json, too', async () => {
    const document = await environment.json<RunDocument>('deploy')

    const {name} = environment
    expect(document.environment).toBe(name)
    expect(new Set(document.releases.map(({release, kind}) => `${release} ${kind}`))).toEqual(
      new Set([`${name}/db unchanged`, `${name}/cache unchanged`, `${name}/api unchanged`]),
    )
  })

  it('with other requirements only writes them to the record, without a revision and without helm', async () => {
    await environment.write(workloads({db: {}, cache: {}, api: {requires: ['cache:applied']}}))

    const {actions} = await environment.json<PlanDocument>('plan')
    await environment.deploy()

    expect(actions.find(({kind}) => kind !== 'unchanged')).toMatchObject({
      release: `${environment.name}/api`,
      kind: 'relabel',
      reasons: ['now requires cache applied, 1 requirement dropped'],
    })
    const label = (name: string) => usesLabel(releaseId(environment.name, name))
    const records = await helmRecords(environment.name)
    const {labels} = records.find(({name}) => name === 'api')!
    expect(labels).toMatchObject({
      [label('cache')]: 'applied',
      'kk.openstack.org/revision': '1',
      'kk.openstack.org/gated': '1',
    })
    expect(labels).not.toHaveProperty(label('db'))
    expect(await environment.helmCalls()).not.toContainEqual(expect.stringMatching(/^upgrade/))
    expect(await revisions(environment.name)).toEqual({api: 1, cache: 1, db: 1})
    expect(await environment.json<PlanDocument>('plan')).toMatchObject({changes: false})
  })

  it('without a section uninstalls nothing, and shows its release as no longer wanted', async () => {
    await environment.write(workloads({db: {}, cache: {}}))

    const plan = await environment.json<PlanDocument>('plan')
    const {exitCode, stderr} = await environment.kk('deploy')
    const status = await environment.json<{releases: {release: string; health: object}[]}>('status')

    expect(plan).toMatchObject({
      changes: false,
      bystanders: [{release: `${environment.name}/api`, state: 'no-longer-wanted', owner: environment.name}],
    })
    expect(exitCode, stderr).toBe(0)
    expect(stderr).toMatch(/no longer wanted +api/)
    expect(await revisions(environment.name)).toEqual({api: 1, cache: 1, db: 1})
    expect(status.releases).toMatchObject([
      {release: `${environment.name}/db`, health: {state: 'healthy'}},
      {release: `${environment.name}/cache`, health: {state: 'healthy'}},
      {release: `${environment.name}/api`, health: {state: 'healthy'}},
    ])
  })
})

atNight(() => {
  it('a requirement of an install whose objects were deleted is re-created before the install', async () => {
    const environment = await deployed({db: {}, cache: {}})
    await kubectl(['delete', 'deployment', 'db', '--namespace', environment.name])
    await environment.write(workloads({db: {}, cache: {}, api: {requires: ['db', 'cache']}}))

    const {exitCode, stderr} = await environment.kk('deploy')

    expect(exitCode, stderr).toBe(0)
    expect(stderr).toContain('objects of it are gone, and are made again')
    expect(await revisions(environment.name)).toEqual({api: 1, cache: 1, db: 2})
    const calls = (await environment.helmCalls()).filter((call) => /^(?:install|upgrade) /.test(call))
    expect(calls.slice(-2)).toEqual([
      expect.stringMatching(/^upgrade .* -- db /),
      expect.stringMatching(/^install .* -- api /),
    ])
  })
})
