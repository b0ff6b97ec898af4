import {beforeAll, describe, expect, it} from 'vitest'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import type {ReleaseStatus} from '../../src/verbs/observation/release-status.ts'
import {atNight} from '../support/night.ts'
import {get, kubectl} from './support/cluster.ts'
import {
  allInOne,
  type EnvironmentContent,
  makeEnvironment,
  only,
  type TestEnvironment,
} from './support/environment.ts'
import {kk} from './support/kk.ts'
import {helmRecords, revisions} from './support/records.ts'

const HEAT = ['heat-common', 'heat-api', 'heat-cfn', 'heat-engine', 'heat-rollout']
const KEYSTONE = ['keystone-common', 'keystone-api', 'keystone-rollout']
const KINDS = [
  ...['deployments', 'services', 'configmaps', 'secrets', 'serviceaccounts', 'roles', 'rolebindings'],
  ...['jobs', 'cronjobs', 'poddisruptionbudgets', 'persistentvolumeclaims', 'networkpolicies', 'ingresses'],
].join(',')
const SHARED = ['mariadb', 'memcached', 'rabbitmq']

/** keystone and heat per component, and what they require as it is. */
async function contentWith(heat: object, releases: object = {}): Promise<EnvironmentContent> {
  const content = only(await allInOne(), ...SHARED, 'keystone')
  const settings = {keystone: {components: true}, heat: {components: true}, ...releases}
  return {...content, kk: {...content.kk, releases: settings}, heat}
}

interface Objects {
  readonly items: readonly {
    readonly metadata: {readonly name: string; readonly uid: string; readonly generation?: number}
  }[]
}

interface Installed {
  readonly items: readonly {readonly kind: string; readonly metadata: {readonly name: string}}[]
}

describe('an environment with releases per component', () => {
  let environment: TestEnvironment
  beforeAll(async () => {
    environment = await makeEnvironment({content: await contentWith({})})
    await environment.deploy()
  })

  async function unchanged() {
    return environment.json<PlanDocument>('plan').then(({changes}) => changes)
  }

  async function generations() {
    const {items} = await get<Objects>('deployments', '--namespace', environment.name)
    return Object.fromEntries(items.map(({metadata}) => [metadata.name, metadata.generation]))
  }

  async function pods() {
    const {items} = await get<Objects>('pods', '--namespace', environment.name)
    return new Map(items.map(({metadata}) => [metadata.name, metadata.uid]))
  }

  it.each([
    ['per-service', []],
    ['per-component', ['keystone-api', 'heat-api', 'heat-cfn', 'heat-engine']],
  ])(
    'can have an operator in the topology %s, with a process for each service',
    async (shape, components) => {
      const services = ['keystone', 'heat', ...SHARED]
      const words = ['--image', 'i', '--namespace', environment.name, '--dry-run', '--topology', shape]

      const {stdout, exitCode, stderr} = await kk(['operator', 'install', ...words, '-e', environment.file])

      expect(exitCode, stderr).toBe(0)
      const {items} = JSON.parse(stdout) as Installed
      const names = items.filter(({kind}) => kind === 'Deployment').map(({metadata}) => metadata.name)
      expect(names.toSorted()).toEqual(
        ['', '-others', ...[...services, ...components].map((name) => `-${name}`)]
          .map((name) => `kk-operator${name}`)
          .toSorted(),
      )
    },
  )

  it('has a record per release with the name of its section, and an unchanged second plan', async () => {
    const records = await helmRecords(environment.name)

    const sections = records.map(({name, labels}) => [name, labels['kk.openstack.org/section']])
    expect(Object.fromEntries(sections)).toEqual({
      ...Object.fromEntries(SHARED.map((name) => [name, undefined])),
      ...Object.fromEntries(KEYSTONE.map((name) => [name, 'keystone'])),
      ...Object.fromEntries(HEAT.map((name) => [name, 'heat'])),
    })
    expect(await unchanged()).toBe(false)
  })

  it('has objects with the same names as in a single release', async () => {
    expect(Object.keys(await generations())).toEqual(
      expect.arrayContaining(['heat-api', 'heat-cfn', 'heat-engine', 'keystone-api']),
    )
  })

  it('has a status with all releases of a section for the name of the section', async () => {
    const {releases} = await environment.json<{releases: ReleaseStatus[]}>('status', 'heat')

    expect(releases.map(({release}) => release)).toEqual(HEAT.map((name) => `${environment.name}/${name}`))
    expect(releases.every(({health}) => health?.state === 'healthy')).toBe(true)
  })

  it('refuses to remove the common release while its components exist', async () => {
    const {exitCode, stderr} = await environment.kk('remove', 'heat-common', '--yes')

    expect(exitCode).toBe(3)
    expect(stderr).toContain('KK_HAS_DEPENDENTS')
    expect(stderr).toContain(`${environment.name}/heat-engine`)
  })

  it('refuses to merge component releases into one, or to split one release, before any change', async () => {
    const before = await revisions(environment.name)
    await environment.write(await contentWith({}, {heat: {}}))
    const whole = await environment.kk('deploy')
    await environment.write(await contentWith({}, {memcached: {components: true}}))
    const parts = await environment.kk('deploy')
    await environment.write(await contentWith({}))

    expect([whole.exitCode, parts.exitCode]).toEqual([3, 3])
    expect(whole.stderr).toContain('KK_COMPONENTS')
    expect(whole.stderr).toContain(
      'is installed as releases per component (heat-api, heat-cfn, heat-common, heat-engine, heat-rollout)',
    )
    expect(parts.stderr).toContain('memcached is installed as one release')
    expect(parts.stderr).toContain('kk remove memcached, then kk deploy')
    expect(await revisions(environment.name)).toEqual(before)
  })

  it('upgrades one component and leaves the others unchanged', async () => {
    const before = {
      revisions: await revisions(environment.name),
      generations: await generations(),
      pods: await pods(),
    }
    await environment.write(await contentWith({pod: {resources: {engine: {requests: {cpu: '30m'}}}}}))

    const {exitCode, stderr} = await environment.kk('upgrade', 'heat-engine')

    expect(exitCode, stderr).toBe(0)
    expect(await revisions(environment.name)).toEqual({...before.revisions, 'heat-engine': 2})
    expect(await generations()).toEqual({
      ...before.generations,
      'heat-engine': before.generations['heat-engine']! + 1,
    })
    const now = await pods()
    const gone = [...before.pods].filter(([name, uid]) => now.get(name) !== uid).map(([name]) => name)
    expect(new Set(gone.map((name) => name.replace(/-[a-z0-9]+-[a-z0-9]+$/, '')))).toEqual(
      new Set(['heat-engine']),
    )
    expect(await unchanged()).toBe(false)
  })

  it('refuses to upgrade a component before the configuration that it reads', async () => {
    await environment.write(await contentWith({conf: {heat: {DEFAULT: {debug: true}}}}))

    const refused = await environment.kk('upgrade', 'heat-engine')
    const all = await environment.kk('upgrade', 'heat')

    expect(refused.exitCode).toBe(3)
    expect(refused.stderr).toContain('KK_COMMON_FIRST')
    expect(refused.stderr).toContain('name it as well: heat-common heat-engine')
    expect(all.exitCode, all.stderr).toBe(0)
    expect(await revisions(environment.name)).toMatchObject({
      ...{'heat-common': 2, 'heat-api': 2, 'heat-cfn': 2, 'heat-engine': 3},
      ...{'keystone-common': 1, 'keystone-api': 1},
    })
  })

  atNight(() => {
    it('is rolled back in the order of deployment, the common release first', async () => {
      // At night the tests before this one do not run.
      await environment.write(await contentWith({conf: {heat: {DEFAULT: {debug: true, use_stderr: false}}}}))
      const upgraded = await environment.kk('upgrade', 'heat')
      expect(upgraded.exitCode, upgraded.stderr).toBe(0)
      const calls = (await environment.helmCalls()).length

      const {exitCode, stderr} = await environment.kk('rollback', '--yes')

      expect(exitCode, stderr).toBe(0)
      const back = (await environment.helmCalls()).slice(calls).filter((call) => call.startsWith('rollback'))
      const order = back.map((call) => HEAT.find((name) => call.split(' ').includes(name)))
      expect(order[0]).toBe('heat-common')
      expect(order.toSorted()).toEqual(HEAT.toSorted())
    })

    it('removes a section by its name, components first, after which it can be deployed as one release', async () => {
      const plan = await environment.json<PlanDocument>('remove', 'heat', '--dry-run')
      const {exitCode, stderr} = await environment.kk('remove', 'heat', '--yes')

      expect(plan.actions.map(({release}) => release).at(-1)).toBe(`${environment.name}/heat-common`)
      expect(plan.actions).toHaveLength(HEAT.length)
      expect(exitCode, stderr).toBe(0)
      expect(Object.keys(await revisions(environment.name)).sort()).toEqual([...SHARED, ...KEYSTONE].sort())

      await environment.write(await contentWith({}, {heat: {}}))
      await environment.deploy()

      expect(await revisions(environment.name)).toMatchObject({heat: 1, 'keystone-api': 1})
    })

    it('takes over the objects of a single release that were reassigned manually, without replacing a pod', async () => {
      const before = await pods()
      await give('heat-common')
      for (const part of ['api', 'cfn', 'engine'])
        await give(`heat-${part}`, `,app.kubernetes.io/component=${part}`)
      await give('heat-rollout', ',app.kubernetes.io/component=status')
      const records = ['--namespace', environment.name, '--selector', 'owner=helm,name=heat']
      await kubectl(['delete', 'secrets', ...records])
      await environment.write(await contentWith({}))

      await environment.deploy()

      expect(Object.keys(await revisions(environment.name))).toEqual(expect.arrayContaining(HEAT))
      expect(await revisions(environment.name)).not.toHaveProperty('heat')
      expect(await pods()).toEqual(before)
      expect(await unchanged()).toBe(false)
    })
  })

  /** As docs/components.md has it. */
  async function give(release: string, more = '') {
    await kubectl([
      ...['annotate', KINDS, '--namespace', environment.name, '--overwrite'],
      ...['--selector', `app.kubernetes.io/instance=heat${more}`, `meta.helm.sh/release-name=${release}`],
    ])
  }
})
