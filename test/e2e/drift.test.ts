import {randomBytes} from 'node:crypto'
import {beforeAll, describe, expect, it} from 'vitest'
import type {ReleaseDrift} from '../../src/verbs/observation/drift.ts'
import {HELMS} from '../support/helms.ts'
import {atNight} from '../support/night.ts'
import {kubectl} from './support/cluster.ts'
import {allInOne, makeEnvironment, type TestEnvironment, workloads} from './support/environment.ts'
import {revisions} from './support/records.ts'

const secret = () => `mark${randomBytes(12).toString('hex')}`

async function driftOf(environment: TestEnvironment, ...args: readonly string[]): Promise<ReleaseDrift> {
  const {releases} = await environment.json<{releases: readonly ReleaseDrift[]}>('drift', ...args)
  expect(releases).toHaveLength(1)
  return releases[0]!
}

describe.each(HELMS)('kk drift of releases deployed by %s', (helm) => {
  const [password, other] = [secret(), secret()]
  let environment: TestEnvironment
  const on = (...args: readonly string[]) => kubectl([...args, '--namespace', environment.name])
  beforeAll(async () => {
    const content = workloads({api: {values: {auth: {password}, claim: 'general', job: {pod: {}}}}})
    environment = await makeEnvironment({content, helm})
    await environment.deploy()
  })

  it('ignores fields written by controllers and by the API server', async () => {
    const {exitCode, stdout} = await environment.kk('drift', '--detailed-exitcode')

    expect(exitCode, stdout).toBe(0)
    expect(stdout).toBe(`${environment.name}/api  revision 1  as its manifest says`)
  })

  it('reports changed fields and missing objects, masks secrets, and exits with 4 with --detailed-exitcode', async () => {
    const data = {password: Buffer.from(other).toString('base64')}
    await on('patch', 'secret', 'api', '--patch', JSON.stringify({data}))
    await on('scale', 'deployment', 'api', '--replicas', '3')
    await on('set', 'image', 'deployment/api', 'main=registry.example.org/workload:2')
    await on('label', 'deployment', 'api', 'somebody=else')
    await on('delete', 'job', 'api-job')

    const drift = await driftOf(environment)
    const {exitCode, stdout} = await environment.kk('drift', 'api', '--detailed-exitcode')

    const conflict = (manager: string) => (helm === 'helm4' ? {manager} : {})
    const image = 'spec.template.spec.containers[main].image'
    expect(drift.objects).toEqual([
      expect.objectContaining({
        kind: 'Secret',
        state: 'changed',
        fields: [{path: 'data.password', masked: true}],
      }),
      expect.objectContaining({
        kind: 'Deployment',
        name: 'api',
        fields: [
          {path: 'spec.replicas', live: 3, manifest: 1, ...conflict('kubectl')},
          {
            path: image,
            live: 'registry.example.org/workload:2',
            manifest: 'registry.example.org/workload:1',
            ...conflict('kubectl-set'),
          },
        ],
      }),
      expect.objectContaining({kind: 'Job', name: 'api-job', state: 'gone', fields: []}),
    ])
    expect(exitCode).toBe(4)
    expect(stdout).toContain('Job/api-job is gone')
    expect(stdout).toContain('data.password: differs (masked)')
    expect(stdout).toContain('hint: to bring back what the manifest says: kk upgrade api --correct-drift')
    for (const text of [password, other, data.password]) expect(stdout).not.toContain(text)
  })

  it('ignores replicas set by an autoscaler', async () => {
    const scaling = {scaleTargetRef: {apiVersion: 'apps/v1', kind: 'Deployment', name: 'api'}, maxReplicas: 5}
    const metadata = {name: 'api', namespace: environment.name}
    const input = {apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', metadata, spec: scaling}
    await kubectl(['create', '--filename', '-'], {input})

    const {objects} = await driftOf(environment)

    const fields = objects.flatMap((object) => object.fields.map(({path}) => path))
    expect(fields).toEqual(['data.password', 'spec.template.spec.containers[main].image'])
    await on('delete', 'horizontalpodautoscaler', 'api')
  })

  it('is corrected by kk upgrade --correct-drift, which takes fields of other managers only with --force-conflicts', async () => {
    const force = ['--force-conflicts']
    const [first, second] = helm === 'helm4' ? [[], force] : [force, []]
    const refused = await environment.kk('upgrade', 'api', '--correct-drift', ...first)
    const corrected = await environment.kk('upgrade', 'api', '--correct-drift', ...second)
    const {objects, revision} = await driftOf(environment)

    const says = {
      helm4: /KK_CONFLICT.*:\n[\s\S]*Deployment\/api spec\.replicas is managed by kubectl\n/,
      helm3: /--force-conflicts needs helm 4/,
    }
    expect([refused.exitCode, corrected.exitCode], corrected.stderr).toEqual([helm === 'helm4' ? 3 : 2, 0])
    expect(refused.stderr).toMatch(says[helm])
    expect(corrected.stderr).toMatch(/drifted: Secret\/api data\.password; Deployment\/api spec/)
    expect({objects, revision}).toEqual({objects: [], revision: 2})
  })
})

atNight(() => {
  it('a conflict is reported before the first change and by plan, with the field and its manager', async () => {
    const content = (replicas: number) =>
      workloads({db: {values: {replicas}}, api: {requires: ['db'], values: {replicas}}})
    const environment = await makeEnvironment({content: content(1)})
    await environment.deploy()
    await kubectl(['scale', 'deployment', 'api', '--replicas', '3', '--namespace', environment.name])
    await environment.write(content(2))

    const planned = await environment.kk('plan')
    const refused = await environment.kk('deploy')
    const untouched = await revisions(environment.name)
    const forced = await environment.kk('deploy', '--force-conflicts')

    const says = /KK_CONFLICT[\s\S]*api: Deployment\/api spec\.replicas is managed by kubectl\n/
    expect([planned.exitCode, refused.exitCode]).toEqual([3, 3])
    expect(planned.stderr).toMatch(says)
    expect(refused.stderr).toMatch(says)
    expect(refused.stderr).toContain('run the same command with --force-conflicts; nothing was changed')
    expect(untouched).toEqual({api: 1, db: 1})
    expect(forced.exitCode, forced.stderr).toBe(0)
  })

  it('drift is corrected also in a release whose requirement changes in the same run', async () => {
    const content = (replicas: number) =>
      workloads({db: {values: {replicas}}, api: {requires: ['db'], values: {conf: {a: 'b'}}}})
    const environment = await makeEnvironment({content: content(1)})
    await environment.deploy()
    await kubectl(['delete', 'configmap', 'api', '--namespace', environment.name])
    await environment.write(content(2))

    const {exitCode, stderr} = await environment.kk('deploy', '--correct-drift')

    expect(exitCode, stderr).toBe(0)
    expect(stderr).toMatch(/~ upgrade +api .*drifted: ConfigMap\/api is gone/)
    expect(await revisions(environment.name)).toEqual({api: 2, db: 2})
  })

  it('a rollback that meets a conflict names the upgrade that takes over the field', async () => {
    const environment = await makeEnvironment({content: workloads({api: {}})})
    await environment.deploy()
    await environment.write(workloads({api: {values: {replicas: 2}}}))
    await environment.deploy()
    await kubectl(['scale', 'deployment', 'api', '--replicas', '3', '--namespace', environment.name])

    const refused = await environment.kk('rollback', '--release', 'api', '--revision', '1', '--yes')
    await environment.write(workloads({api: {}}))
    const forced = await environment.kk('upgrade', 'api', '--force-conflicts')

    expect(refused.exitCode).toBe(3)
    expect(refused.stderr).toMatch(/KK_CONFLICT[\s\S]*Deployment\/api spec\.replicas is managed by kubectl/)
    expect(refused.stderr).toContain(
      'restore the older inputs in the file, and: kk upgrade api --force-conflicts',
    )
    expect(forced.exitCode, forced.stderr).toBe(0)
  })

  it("kk drift ignores fields of kk's own charts that the API server defaults", async () => {
    const environment = await makeEnvironment({content: await allInOne()})
    await environment.deploy()

    const {exitCode, stdout} = await environment.kk('drift', '--detailed-exitcode')

    expect(exitCode, stdout).toBe(0)
    expect(stdout.split('\n').every((line) => line.endsWith('as its manifest says'))).toBe(true)
  })
})
