import {readFile, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {load} from 'js-yaml'
import {beforeAll, expect, inject, it} from 'vitest'
import {allInOne, CHARTS, type EnvironmentContent, only} from '../e2e/support/environment.ts'
import {done} from '../e2e/support/guarded.ts'
import {kk} from '../e2e/support/kk.ts'
import {
  messageOf,
  type OperatedCluster,
  type OperatedEnvironment,
  type RunningOperator,
  startOperatedCluster,
} from '../e2e/support/operator.ts'
import {REQUIRED_BY_CATALOGUE} from './support/catalogue.ts'

// Numbers 1 and 16 of the proof of the design: a cloud of kk's own charts, as they are, that the command line
// has deployed. By day six charts, at night those of the catalogue with what they require.
async function content(): Promise<EnvironmentContent> {
  if (!process.env.KK_TEST_NIGHT) return allInOne()
  const [cloud, catalogue] = await Promise.all(
    ['cloud', 'catalogue'].map(
      async (name) =>
        load(await readFile(join(CHARTS, '../environments', `${name}.yaml`), 'utf8')) as EnvironmentContent,
    ),
  )
  const {global: _, ...further} = catalogue!
  return {...further, ...only(cloud!, ...REQUIRED_BY_CATALOGUE)}
}

let cluster: OperatedCluster
let operator: RunningOperator
let environment: OperatedEnvironment
let file: string
let releases: readonly string[]
let records: string
beforeAll(async () => {
  cluster = await startOperatedCluster(1)
  environment = cluster.environment()
  const {name} = environment
  const {kk: _, ...sections} = await content()
  releases = Object.keys(sections).filter((each) => each !== 'global')
  file = join(inject('run').home, `${name}.yaml`)
  await writeFile(file, JSON.stringify({kk: {name, namespace: name, charts: [CHARTS]}, ...sections}))
  await injectSidecars(name)
  const deployed = await kk(['deploy', file, '--sandbox-name', cluster.sandbox])
  expect(deployed.exitCode, deployed.stderr).toBe(0)
  records = await secrets()
  operator = await cluster.start()
  await done(cluster.operator('adopt', file))
  await environment.has('Paused', 'True')
  await done(cluster.operator('resume', name))
  await environment.has('Ready', 'True')
  return () => cluster.end()
}, 3_600_000)

/** The Secrets of the environment with their versions: equal when none came and none was written. */
async function secrets(): Promise<string> {
  const each = '{range .items[*]}{.metadata.name} {.metadata.resourceVersion}{"\\n"}{end}'
  const words = ['get', 'secrets', '--namespace', environment.name, '--output', `jsonpath=${each}`]
  return done(cluster.kubectl(...words))
}

/** Has the API server give every pod of a namespace a container more, as service meshes do. */
async function injectSidecars(namespace: string): Promise<void> {
  const apiVersion = 'admissionregistration.k8s.io/v1'
  const metadata = {name: 'sidecars'}
  const sidecar = 'Object.spec.containers{name: "sidecar", image: "registry.example.org/sidecar:1"}'
  const rule = {apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE']}
  const namespaceSelector = {matchLabels: {'kubernetes.io/metadata.name': namespace}}
  const policy = {
    ...{apiVersion, kind: 'MutatingAdmissionPolicy', metadata},
    spec: {
      matchConstraints: {resourceRules: [rule], namespaceSelector},
      reinvocationPolicy: 'Never',
      mutations: [
        {
          patchType: 'ApplyConfiguration',
          applyConfiguration: {expression: `Object{spec: Object.spec{containers: [${sidecar}]}}`},
        },
      ],
    },
  }
  const binding = {
    ...{apiVersion, kind: 'MutatingAdmissionPolicyBinding', metadata},
    spec: {policyName: metadata.name},
  }
  for (const each of [policy, binding]) {
    const {exitCode, stderr} = await cluster.create(each)
    expect(exitCode, stderr).toBe(0)
  }
}

it('1: a cloud of the command line is adopted without starting helm and without writing a Secret', async () => {
  const {status} = await environment.read()

  expect(status).toMatchObject({summary: `${releases.length}/${releases.length}`, plan: {actions: []}})
  expect((await operator.helmCalls()).filter((call) => call.includes(environment.name))).toEqual([])
  expect(await secrets()).toBe(records)
})

it('16: fields set by an autoscaler, an admission policy or API server defaults are no drift', async () => {
  const place = ['--namespace', environment.name]
  const scaled = 'deployment/keystone-api'
  const names = 'jsonpath={.items[*].spec.containers[*].name}'
  const image = (to: string) => cluster.kubectl('set', 'image', scaled, ...place, `*=${to}`)
  await done(cluster.kubectl('autoscale', scaled, ...place, '--min', '3', '--max', '5'))
  await done(cluster.kubectl('scale', scaled, ...place, '--replicas', '3'))
  // An hour is a second here, a factor of 3600.
  const drift = {drift: {mode: 'warn', every: '1s'}}
  const words = [environment.name, '--namespace', 'kk-system', '--type', 'merge']
  await done(
    cluster.kubectl(
      ...['patch', 'environment.kk.openstack.org', ...words],
      ...['--patch', JSON.stringify({spec: drift})],
    ),
  )

  const asDeployed = await environment.has('Drifted', 'False', 'AsDeployed')
  const containers = (await done(cluster.kubectl('get', 'pods', ...place, '--output', names))).split(' ')
  await done(image('registry.example.org/other:1'))
  const drifted = await environment.has('Drifted', 'True', 'Drifted')

  expect(messageOf(asDeployed, 'Drifted')).not.toContain('keystone')
  expect(containers.filter((name) => name === 'sidecar').length).toBeGreaterThanOrEqual(releases.length)
  expect(messageOf(drifted, 'Drifted')).toMatch(/Deployment\/keystone-api .*containers\[api\]\.image/)
  expect(messageOf(drifted, 'Drifted')).not.toContain('spec.replicas')
})
