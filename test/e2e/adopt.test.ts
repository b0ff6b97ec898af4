import {randomBytes} from 'node:crypto'
import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import type {Adoption} from '../../src/verbs/change/adopt.ts'
import {atNight} from '../support/night.ts'
import {get, kubectl, makeNamespace} from './support/cluster.ts'
import {CHARTS, FIXTURES, makeEnvironment, type TestEnvironment, workloads} from './support/environment.ts'
import {plainHelm} from './support/plain-helm.ts'
import {helmRecords} from './support/records.ts'

const secret = () => `mark${randomBytes(12).toString('hex')}`

async function install(namespace: string, name: string, values: object = {}) {
  const words = ['install', name, join(FIXTURES, 'workload'), '--namespace', namespace, '--values', '-']
  const {exitCode, stderr} = await plainHelm(words, {input: JSON.stringify(values)})
  expect(exitCode, stderr).toBe(0)
}

/** Of the Deployment and the claim that bear this name. */
async function uids(namespace: string, name: string): Promise<readonly string[]> {
  type Live = {readonly metadata: {readonly uid: string}}
  const found = await Promise.all(
    ['deployment', 'persistentvolumeclaim'].map((kind) => get<Live>(kind, name, '--namespace', namespace)),
  )
  return found.map(({metadata}) => metadata.uid)
}

/** What a plan would do, by the name of the release. */
async function planned(environment: TestEnvironment) {
  const {actions} = await environment.json<PlanDocument>('plan')
  return Object.fromEntries(
    actions.map(({release, kind, reasons}) => [release.split('/')[1], {kind, reasons}]),
  )
}

describe('releases that plain helm installed', () => {
  const [old, fresh] = [secret(), secret()]
  const same = {job: {hook: 'post-install', pod: {}}, test: {pod: {}}}
  let namespace: string
  let environment: TestEnvironment
  let before: readonly string[]
  beforeAll(async () => {
    namespace = await makeNamespace('adopt')
    await install(namespace, 'db', {
      claim: 'general',
      image: 'registry.example.org/old:1',
      auth: {password: old},
    })
    await install(namespace, 'api', same)
    before = await uids(namespace, 'db')
    const content = workloads({
      db: {values: {claim: 'general', replicas: 2, auth: {password: fresh}}},
      api: {values: same, requires: ['db']},
    })
    environment = await makeEnvironment({content, namespace})
  })

  it('are refused by deploy and plan, which name kk adopt', async () => {
    const [deploy, plan] = await Promise.all([environment.kk('deploy'), environment.kk('plan')])

    expect(deploy.exitCode).toBe(3)
    expect(deploy.stderr).toMatch(/KK_FOREIGN.*\/db exists already/)
    expect(deploy.stderr).toContain('hint: take it over with: kk adopt db')
    expect(plan.stdout).toContain('take it over with: kk adopt db')
  })

  it('are shown by a dry run of adopt with all changes of an upgrade, without secrets, and are not changed', async () => {
    const records = await helmRecords(namespace)

    const {exitCode, stdout, stderr} = await environment.kk('adopt', 'db', 'api', '--dry-run')
    const {adoptions} = await environment.json<{readonly adoptions: readonly Adoption[]}>(
      'adopt',
      ...['db', 'api', '--dry-run'],
    )

    expect(exitCode, stderr).toBe(0)
    expect(stdout).toContain('+ replicas: 2')
    expect(stdout).toContain('- image: registry.example.org/old:1')
    expect(stdout).toContain('~ auth.password (masked)')
    expect(stdout).toMatch(/^\+ +replicas: 2$/m)
    expect(stdout).toMatch(/@ \S+\/api {2}revision 1, deployed {2}as the environment wants it/)
    for (const text of [old, fresh]) expect(stdout).not.toContain(text)
    expect(adoptions).toMatchObject([
      {
        same: false,
        chart: {name: 'workload'},
        values: [
          {path: 'auth.password', change: 'changed', masked: true},
          {path: 'image', change: 'removed', before: 'registry.example.org/old:1'},
          {path: 'replicas', change: 'added', after: 2},
        ],
        objects: [
          {object: `v1 Secret ${namespace}/db`, change: 'changed'},
          {object: `apps/v1 Deployment ${namespace}/db`, change: 'changed'},
        ],
      },
      {same: true, values: [], objects: []},
    ])
    expect(JSON.stringify(adoptions)).not.toMatch(new RegExp(`${old}|${fresh}`))
    expect(await helmRecords(namespace)).toEqual(records)
  })

  it('are not adopted without confirmation', async () => {
    const {exitCode, stderr} = await environment.kk('adopt', 'db')

    expect(exitCode).toBe(3)
    expect(stderr).toContain('KK_UNCONFIRMED')
    expect(Object.keys((await helmRecords(namespace))[0]!.labels).join()).not.toContain('kk.openstack.org')
  })

  it('are adopted by name, with a note on required releases that kk did not install either', async () => {
    const {exitCode, stdout} = await environment.kk('adopt', 'api', '--dry-run')

    expect(exitCode).toBe(0)
    expect(stdout).toContain('note: db, which is required, was not installed by kk either')
  })

  it('are adopted without a new revision; a deploy then upgrades only the different release in place', async () => {
    const adopted = await environment.kk('adopt', 'db', 'api', '--yes', '--message', 'from helm')
    const records = await helmRecords(namespace)
    const plan = await planned(environment)
    const history = await environment.kk('history')
    await environment.deploy()
    const after = await planned(environment)

    expect(adopted.exitCode, adopted.stderr).toBe(0)
    expect(records.map(({name, revision}) => [name, revision])).toEqual([
      ['api', 1],
      ['db', 1],
    ])
    expect(plan).toMatchObject({
      db: {kind: 'upgrade', reasons: ['adopted, deployed with other inputs']},
      api: {kind: 'await'},
    })
    expect(history.stdout).toMatch(/adopt .*from helm/)
    expect(after).toMatchObject({db: {kind: 'unchanged'}, api: {kind: 'unchanged'}})
    const last = (await helmRecords(namespace)).filter(({status}) => status === 'deployed')
    expect(last.map(({name, revision}) => [name, revision])).toEqual([
      ['api', 1],
      ['db', 2],
    ])
    expect(await uids(namespace, 'db')).toEqual(before)
  })

  it('are reported as already adopted, with exit code 0', async () => {
    const {exitCode, stderr} = await environment.kk('adopt', 'db', '--yes')

    expect(exitCode).toBe(0)
    expect(stderr).toMatch(/\/db belongs to ".*" already/)
  })

  describe.concurrent('kk adopt refuses', () => {
    let other: TestEnvironment
    beforeAll(async () => {
      await install(namespace, 'stranger')
      other = await makeEnvironment({namespace, content: workloads({db: {}, gone: {}})})
    })

    it.each([
      ['a release that another environment owns', 'db', 3, /KK_OWNER.*db belongs to the environment/],
      ['a release that is not installed', 'gone', 2, /KK_NOT_INSTALLED.*there is nothing to adopt/],
      ['a release that is not in the file', 'stranger', 2, /KK_UNKNOWN_RELEASE.*has no release stranger/],
    ])('%s', async (_, name, exit, says) => {
      const {exitCode, stderr} = await other.kk('adopt', name, '--yes')

      expect(exitCode).toBe(exit)
      expect(stderr).toMatch(says)
    })

    it('a command line without the name of a release', async () => {
      const {exitCode, stderr} = await other.kk('adopt')

      expect(exitCode).toBe(2)
      expect(stderr).toMatch(/KK_USAGE.*expected the name of a release/)
    })
  })
})

atNight(() => {
  it('a renamed environment takes over its releases with --former-owner and confirmation', async () => {
    const content = workloads({db: {}, api: {requires: ['db']}})
    const old = await makeEnvironment({content})
    await old.deploy()
    const renamed = await makeEnvironment({content, namespace: old.name})

    const refused = await renamed.kk('deploy')
    const unconfirmed = await renamed.kk('adopt', '--former-owner', old.name)
    const wrong = await renamed.kk('adopt', 'db', '--former-owner', 'somebody', '--yes')
    const between = await helmRecords(old.name)
    const {exitCode, stderr} = await renamed.kk('adopt', '--former-owner', old.name, '--yes')
    const next = await planned(renamed)

    expect(refused.exitCode).toBe(3)
    expect(refused.stderr).toContain('KK_OWNER: 2 releases belong to other environments')
    expect(refused.stderr).toContain(`kk adopt --former-owner ${old.name}`)
    expect([unconfirmed.exitCode, wrong.exitCode]).toEqual([3, 3])
    expect(unconfirmed.stderr).toContain('KK_UNCONFIRMED')
    expect(between.map(({labels}) => labels['kk.openstack.org/owner'])).toEqual([old.name, old.name])
    expect(exitCode, stderr).toBe(0)
    expect(next).toMatchObject({db: {kind: 'unchanged'}, api: {kind: 'unchanged'}})
  })
})

atNight(() => {
  it('an environment with a part of another takes over only its sections, with a list of the remaining users', async () => {
    const releases = {db: {}, api: {requires: ['db']}, web: {requires: ['api', 'db']}}
    const old = await makeEnvironment({content: workloads(releases)})
    await old.deploy()
    const part = workloads({db: {}, api: {requires: ['db']}}) as Record<string, unknown>
    const {db: _, ...content} = part
    const mine = await makeEnvironment({content, namespace: old.name})

    const refused = await mine.kk('deploy')
    const {exitCode, stdout, stderr} = await mine.kk('adopt', '--former-owner', old.name, '--dry-run')
    const both = await mine.kk('adopt', 'db', 'api', '--former-owner', old.name, '--dry-run')

    expect(refused.stderr).toContain(`kk adopt api --former-owner ${old.name}`)
    expect(exitCode, stderr).toBe(0)
    expect(stdout).toMatch(/@ \S+\/api /)
    expect(stdout).not.toMatch(/@ \S+\/db /)
    expect(stdout).toMatch(/used by {2}\S+\/web \(".*"\), not handed over/)
    expect(both.stdout).toMatch(/@ \S+\/db /)
  })
})

atNight(() => {
  describe.concurrent('kk adopt --former-owner refuses', () => {
    let environment: TestEnvironment
    beforeAll(async () => {
      const namespace = await makeNamespace('adopt')
      const releases = {pending: {chart: 'workload'}}
      const content = {kk: {charts: [FIXTURES, CHARTS], releases}, pending: {}, memcached: {}}
      environment = await makeEnvironment({namespace, content})
      await Promise.all([
        install(namespace, 'pending').then(() => markPending(namespace, 'pending')),
        install(namespace, 'memcached'),
      ])
    })

    it.each([
      ['what an operation has left unfinished', 'pending', 3, /KK_PENDING.*pending-upgrade at revision 1/],
      ['what was installed from another chart', 'memcached', 3, /KK_OTHER_CHART.*the chart workload/],
    ])('%s', async (_, name, exit, says) => {
      const {exitCode, stderr} = await environment.kk('adopt', name, '--yes')

      expect(exitCode).toBe(exit)
      expect(stderr).toMatch(says)
    })
  })
})

/** As a helm leaves it that is killed. */
async function markPending(namespace: string, name: string): Promise<void> {
  const record = `sh.helm.release.v1.${name}.v1`
  await kubectl([
    'label',
    'secret',
    record,
    'status=pending-upgrade',
    '--overwrite',
    '--namespace',
    namespace,
  ])
}
