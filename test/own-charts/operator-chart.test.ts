import {mkdir, writeFile} from 'node:fs/promises'
import {dirname, join} from 'node:path'
import {execa} from 'execa'
import {loadAll} from 'js-yaml'
import {beforeAll, expect, it} from 'vitest'
import type {KubernetesObject} from '../../src/kubernetes/manifest/kubernetes-object.ts'
import {operatorChart} from '../../src/operator/install/chart.ts'
import {isOfCluster, operatorObjects} from '../../src/operator/install/install.ts'
import {testDirectory} from '../support/test-directory.ts'
import {toolPath} from '../support/tools.ts'

const DEFAULTS = {version: '1.2.3', image: 'registry.example.org/kk:1', namespaces: ['openstack']}
const POLICIES = 'admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy'

let chart: string
beforeAll(async () => {
  chart = testDirectory()
  for (const [path, text] of Object.entries(operatorChart(DEFAULTS))) {
    await mkdir(dirname(join(chart, path)), {recursive: true})
    await writeFile(join(chart, path), text)
  }
})

async function rendered(values: object, ...flags: readonly string[]): Promise<readonly KubernetesObject[]> {
  const {stdout} = await execa(
    await toolPath('helm4'),
    ['template', 'kk-operator', chart, '--namespace', 'kk-system', '--values', '-', ...flags],
    {input: JSON.stringify(values)},
  )
  return (loadAll(stdout) as KubernetesObject[]).filter(Boolean)
}

/** As helm sorts them is not as they are applied. */
function byName(objects: readonly KubernetesObject[]): ReadonlyMap<string, KubernetesObject> {
  return new Map(
    objects.map((each) => [`${each.kind} ${each.metadata.namespace ?? ''}/${each.metadata.name}`, each]),
  )
}

it.each([
  ['by default', {}, DEFAULTS],
  [
    'with other values',
    {image: 'registry.example.org/kk:2', namespaces: ['openstack', 'ceph'], removal: true},
    {...DEFAULTS, image: 'registry.example.org/kk:2', namespaces: ['openstack', 'ceph'], removes: true},
  ],
  ['with objects of the whole cluster', {clusterObjects: true}, {...DEFAULTS, makesOfCluster: true}],
  [
    'in a shape of several processes',
    {shape: 'per-component', shards: ['nova', 'nova-api'], clusterObjects: true},
    {
      ...{...DEFAULTS, makesOfCluster: true},
      shape: {shape: 'per-component' as const, shards: ['nova', 'nova-api']},
    },
  ],
])(
  'the chart has the objects of the installation %s, but its kinds and namespaces',
  async (_, values, options) => {
    const found = await rendered(values, '--api-versions', POLICIES)

    const expected = operatorObjects(options).filter(isOfCluster)
    expect(byName(found)).toEqual(byName(JSON.parse(JSON.stringify(expected)) as KubernetesObject[]))
    expect(found).toHaveLength(expected.length)
  },
)

it('the chart has no policies where the cluster does not know them', async () => {
  const kinds = (await rendered({}, '--kube-version', '1.29.0')).map(({kind}) => kind)

  expect(kinds.filter((kind) => kind.startsWith('ValidatingAdmission'))).toEqual([])
  expect(kinds).toContain('Deployment')
})
