import {existsSync} from 'node:fs'
import {cp, readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {beforeAll, describe, expect, it} from 'vitest'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import {atNight} from '../support/night.ts'
import {auditEvents, kubectl, waitFor} from './support/cluster.ts'
import {FIXTURES, makeEnvironment, type TestEnvironment, workloads} from './support/environment.ts'
import {history} from './support/history.ts'
import {kk} from './support/kk.ts'
import {revisions} from './support/records.ts'

/** Of the journal: the first release has ended, and passed its gate. */
const GATED = 6
const VERBS = ['reconfigure', 'update', 'upgrade'] as const

interface Narrow {
  readonly what: string
  readonly act: () => Promise<void>
  readonly changes: readonly string[]
  readonly suffices: (typeof VERBS)[number]
  /** Where the record tells more than labels do. */
  readonly reason?: string
  /** What is said of `api`; by default nothing is refused. */
  readonly said?: string
}

describe('a narrower verb refuses other changes, and names the verb that suffices', () => {
  let environment: TestEnvironment
  let charts: string
  let values: object = {}
  beforeAll(async () => {
    environment = await makeEnvironment()
    charts = join(environment.directory, 'charts')
    await cp(FIXTURES, charts, {recursive: true})
    await change({image: 'registry.example.org/workload:2025.2-debian'})
    await environment.deploy()
  })

  /** Writes the environment with other values for `api`; `db` is always the same. */
  async function change(more: object): Promise<void> {
    values = {...values, ...more}
    const {kk, ...sections} = workloads({db: {}, api: {requires: ['db'], values}})
    await environment.write({kk: {...kk, charts: [charts]}, ...sections})
  }

  async function edit(file: string, replace: (text: string) => string): Promise<void> {
    const path = join(charts, 'workload', file)
    await writeFile(path, replace(await readFile(path, 'utf8')))
  }

  const api = () => `${environment.name}/api`

  const narrow: readonly Narrow[] = [
    {
      what: 'a value',
      act: () => change({replicas: 2}),
      changes: ['values'],
      suffices: 'reconfigure',
    },
    {
      what: 'an image',
      act: () => change({image: 'registry.example.org/workload:2025.2-ubuntu'}),
      changes: ['image'],
      suffices: 'update',
      said: 'an image',
    },
    {
      what: 'a file of the chart',
      act: () => edit('templates/secret.yaml', (text) => `${text}\n{{- /* edited */ -}}\n`),
      changes: ['chart-content'],
      suffices: 'update',
      said: 'files of the chart',
    },
    {
      what: 'the version of the chart',
      act: () => edit('Chart.yaml', (text) => text.replace(/^version: .*$/m, 'version: 7.0.0')),
      changes: ['chart-version'],
      suffices: 'upgrade',
      reason: 'chart version 1.0.0 → 7.0.0',
      said: 'the chart version',
    },
    {
      what: 'the appVersion',
      act: () => edit('Chart.yaml', (text) => `${text}\nappVersion: "2025.2"\n`),
      changes: ['app-version'],
      suffices: 'upgrade',
      reason: 'appVersion (none) → 2025.2',
      said: 'the appVersion',
    },
  ]
  const suffice = async ({act, changes, suffices, said, reason}: Narrow) => {
    await act()
    const before = await revisions(environment.name)

    const planned = await environment.json<PlanDocument>('plan')
    const text = await environment.kk('plan')
    const refused = VERBS.slice(0, VERBS.indexOf(suffices))
    const refusals = await Promise.all(refused.map((verb) => environment.kk(verb)))
    const between = await revisions(environment.name)
    const done = await environment.kk(suffices)

    const action = planned.actions.find(({release}) => release === api())
    expect(action).toMatchObject({kind: 'upgrade', changes, ...(reason && {reasons: [reason]})})
    expect(planned.suffices).toBe(suffices)
    expect(text.stdout).toContain(`verb: kk ${suffices} is enough for this`)
    for (const {exitCode, stderr} of refusals) {
      expect(exitCode).toBe(3)
      expect(stderr).toContain('KK_VERB')
      expect(stderr).toContain(`${api()}: ${said}\n`)
      expect(stderr).toContain(`kk ${suffices}`)
    }
    expect(between).toEqual(before)
    expect(done.exitCode, done.stderr).toBe(0)
    expect((await revisions(environment.name)).api).toBe(before.api! + 1)
  }
  const title = 'for $what, kk $suffices suffices'
  const later = (each: Narrow) => ['a file of the chart', 'the appVersion'].includes(each.what)
  it.each(narrow.filter((each) => !later(each)))(title, suffice)
  atNight(() => {
    it.each(narrow.filter(later))(title, suffice)
  })

  it('kk reconfigure finds an image in a value without a typical name', async () => {
    await change({job: {pod: {}}})
    const before = await revisions(environment.name)

    const {exitCode, stderr} = await environment.kk('reconfigure')

    expect(exitCode, stderr).toBe(3)
    expect(stderr).toContain('KK_VERB')
    expect(stderr).toContain(`${api()}: an image: Job/api-job/job gets registry.example.org/job:1`)
    expect(await revisions(environment.name)).toEqual(before)
    await change({job: null})
  })

  it('kk update refuses another release of OpenStack', async () => {
    const before = await revisions(environment.name)
    await change({image: 'registry.example.org/workload:2026.1-debian'})
    const named = await environment.kk('update')
    await change({image: 'registry.example.org/workload:2025.2-debian'})

    expect(named.exitCode, named.stderr).toBe(3)
    expect(named.stderr).toContain(`${api()}: another release of OpenStack`)
    expect(named.stderr).toContain('this is what kk upgrade is for')
    expect(await revisions(environment.name)).toEqual(before)
  })

  const refuse = async (verb: string) => {
    const before = await revisions(environment.name)

    await change({image: 'registry.example.org/workload:epoxy-debian'})
    const downgrade = await environment.kk(verb)
    await change({image: 'registry.example.org/workload:2026.2-debian'})
    const skip = await environment.kk(verb)

    expect([downgrade.exitCode, skip.exitCode]).toEqual([3, 3])
    expect(downgrade.stderr).toContain('KK_VERSION')
    expect(downgrade.stderr).toContain(`${api()}: image 2025.2 → 2025.1 is a downgrade`)
    expect(skip.stderr).toContain(`${api()}: image 2025.2 → 2026.2 skips releases: go through 2026.1`)
    expect(await revisions(environment.name)).toEqual(before)
  }
  it('kk deploy refuses a downgrade of OpenStack, and a skip', () => refuse('deploy'))
  atNight(() => {
    it('kk upgrade refuses a downgrade of OpenStack, and a skip', () => refuse('upgrade'))
  })

  it('kk plan refuses a downgrade of OpenStack, and saves no such plan without --force-version', async () => {
    await change({image: 'registry.example.org/workload:2025.1-debian'})

    const refused = await environment.kk('plan', '--save', 'plan.json')
    const forced = await environment.kk('plan', '--save', 'forced.json', '--force-version')

    expect([refused.exitCode, forced.exitCode]).toEqual([3, 0])
    expect(refused.stdout).toContain('to upgrade')
    expect(refused.stderr).toContain('image 2025.2 → 2025.1 is a downgrade')
    expect(existsSync(join(environment.directory, 'plan.json'))).toBe(false)
    expect(forced.stderr).toContain('kk apply forced.json --force-version')
  })

  it('kk upgrade --force-version performs a downgrade of OpenStack', async () => {
    const {exitCode, stderr} = await environment.kk('upgrade', '--force-version')

    expect(exitCode, stderr).toBe(0)
  })
})

describe.concurrent('kk upgrade', () => {
  const ready = (after: string) => ({pod: {'ready-after': after}})

  atNight(() => {
    it('changes one release after the other, each through its gate, in the order of requirements', async () => {
      const three = (replicas: number) => {
        const values = {...ready('1s'), replicas}
        return workloads({c: {requires: ['b'], values}, a: {values}, b: {values}})
      }
      const environment = await makeEnvironment({content: three(1)})
      await environment.deploy()
      await environment.write(three(2))

      const {exitCode, stderr} = await environment.kk('upgrade')

      expect(exitCode, stderr).toBe(0)
      const of = await history(environment.name)
      const upgrades = (await auditEvents(environment.name))
        .filter(({verb, objectRef}) => verb === 'create' && /\.v2$/.test(objectRef?.name ?? ''))
        .map(({objectRef, requestReceivedTimestamp}) => {
          const name = objectRef!.name!.replace(/^sh\.helm\.release\.v1\.|\.v2$/g, '')
          return {name, started: requestReceivedTimestamp, ready: of(name).ready}
        })
      expect(upgrades.map(({name}) => name)).toEqual(['b', 'c', 'a'])
      expect(upgrades[1]!.started > upgrades[0]!.ready).toBe(true)
      expect(upgrades[2]!.started > upgrades[1]!.ready).toBe(true)
    })
  })

  it('checks the dependents of changed releases, and exits with 1 if one of them is unhealthy', async () => {
    const content = (replicas: number, timeout: string) => ({
      ...workloads({db: {values: {replicas}}, api: {requires: ['db']}, web: {requires: ['api']}}),
      kk: {
        releases: {
          db: {chart: 'workload'},
          api: {chart: 'workload', requires: ['db'], timeout},
          web: {chart: 'workload', requires: ['api']},
        },
      },
    })
    const environment = await makeEnvironment({content: content(1, '5m')})
    await environment.deploy()
    await environment.write(content(2, '2s'))
    await breakPods('api', environment.name)

    const planned = await environment.kk('upgrade', 'db', '--dry-run')
    const {exitCode, stderr} = await environment.kk('upgrade', 'db')

    expect(planned.stdout).toMatch(/○ check +api .*must pass its gate again after db/)
    expect(planned.stdout).toMatch(
      /note: api is not healthy now, before anything changes, and must be afterwards: Deployment\/api: .*CrashLoopBackOff/,
    )
    expect(planned.stdout).not.toContain('web is not healthy')
    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/api .*failed|failed.*api/s)
    expect(stderr).toContain('CrashLoopBackOff')
    expect(await revisions(environment.name)).toEqual({db: 2, api: 1, web: 1})
  })

  atNight(() => {
    it('also checks dependents in other environments, even after it was killed, and changes none', async () => {
      const owner = await makeEnvironment({content: workloads({db: {}})})
      await owner.deploy()
      const user = await makeEnvironment({
        content: {kk: {releases: {api: {chart: 'workload', requires: [`${owner.name}/db`]}}}, api: {}},
      })
      await user.deploy()
      await owner.write(workloads({db: {values: {replicas: 2}}}))

      const {actions} = await owner.json<PlanDocument>('plan')
      const {exitCode, stderr} = await owner.kk('upgrade')
      await owner.write(workloads({db: {values: {replicas: 3}}}))
      const cut = await kk(['upgrade', owner.file], {
        cwd: owner.directory,
        env: {KK_HELM: owner.helm},
        killAt: GATED,
      })
      const left = await owner.json<PlanDocument>('plan')
      const again = await owner.kk('deploy')
      const done = await owner.json<PlanDocument>('plan')

      expect(cut.signal).toBe('SIGKILL')
      expect(left.actions.map(({release, kind}) => `${kind} ${release}`)).toEqual([
        `await ${owner.name}/db`,
        `check ${user.name}/api`,
      ])
      expect(again.exitCode, again.stderr).toBe(0)
      expect(again.stderr).toMatch(/api +checked/)
      expect(done.changes).toBe(false)
      expect(await revisions(owner.name)).toEqual({db: 3})
      expect(actions.map(({release, kind}) => `${kind} ${release}`)).toEqual([
        `upgrade ${owner.name}/db`,
        `check ${user.name}/api`,
      ])
      expect(exitCode, stderr).toBe(0)
      expect(await revisions(user.name)).toEqual({api: 1})
    })
  })
})

/** Replaces the pods of a Deployment by some that crash, and waits until they have. */
async function breakPods(name: string, namespace: string): Promise<void> {
  const annotations = {'sandbox.kk.openstack.org/fail': 'CrashLoopBackOff'}
  const patch = {
    spec: {strategy: {type: 'Recreate', rollingUpdate: null}, template: {metadata: {annotations}}},
  }
  await kubectl(['patch', 'deployment', name, '--namespace', namespace, '--patch', JSON.stringify(patch)])
  const reasons = 'jsonpath={.items[*].status.containerStatuses[*].state.waiting.reason}'
  await waitFor(
    async () =>
      (await kubectl(['get', 'pods', '--namespace', namespace, '--output', reasons])).includes(
        'CrashLoopBackOff',
      ),
    {until: `the new pod of ${name} has ended again and again`},
  )
}
