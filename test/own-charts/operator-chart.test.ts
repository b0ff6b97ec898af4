import {join} from 'node:path'
import {beforeAll, expect, it} from 'vitest'
import {openHelm} from '../../src/helm/open.ts'
import {kkPod} from '../../src/kubernetes/kk-pod.ts'
import type {KubernetesObject} from '../../src/kubernetes/manifest/kubernetes-object.ts'
import {accountObjects} from '../../src/kubernetes/permissions/account.ts'
import {
  CHILD_ROLES,
  OPERATOR_ROLES,
  type RoleSet,
  type Rule,
  removalRules,
  withRemoval,
} from '../../src/kubernetes/permissions/roles.ts'
import {CONFIRM_REMOVE, ENVIRONMENTS} from '../../src/operator/crds/environment.ts'
import {NODE_OPERATIONS} from '../../src/operator/crds/node-operation.ts'
import {type InstallOptions, withChart} from '../../src/operator/install/chart.ts'
import {crdObjects, operatorObjects, siteObjects} from '../../src/operator/install/install.ts'
import {ALLOW_REMOVAL, CRD_NAMES} from '../../src/operator/install/uninstall.ts'
import {toolPath} from '../support/tools.ts'

const ROOT = join(import.meta.dirname, '../..')
const DEFAULTS = {version: '1.2.3', image: 'registry.example.org/kk:1', namespaces: ['openstack']}

let helm: ReturnType<typeof openHelm>
beforeAll(async () => {
  helm = openHelm({
    path: await toolPath('helm4'),
    version: {major: 4, minor: 2, text: 'v4.2.4'},
    env: process.env,
  })
})

const keyOf = ({kind, metadata}: KubernetesObject) => `${kind} ${metadata.namespace ?? ''}/${metadata.name}`

/** As helm sorts them is not as they are applied. */
function byName(objects: readonly object[]): ReadonlyMap<string, KubernetesObject> {
  const read = JSON.parse(JSON.stringify(objects)) as KubernetesObject[]
  return new Map(read.map((each) => [keyOf(each), each]))
}

const installed = (options: InstallOptions): Promise<readonly KubernetesObject[]> =>
  withChart(ROOT, options, (call) => operatorObjects(options, {helm, call}))

const isPolicy = ({kind}: KubernetesObject) => kind.startsWith('ValidatingAdmission')

/** The accounts that the table of permissions makes, with their roles. */
function accounts({
  namespaces,
  removes = false,
  makesOfCluster = false,
  shape,
}: InstallOptions): readonly object[] {
  const account = (name: string, rights: RoleSet, beside: readonly Rule[] = []) =>
    accountObjects({
      ...{name, labels: {'app.kubernetes.io/name': name}, namespace: 'kk-system', releases: namespaces},
      ...{rights, beside, makesOfCluster},
    })
  return [
    ...(removes
      ? account('kk-operator', withRemoval(OPERATOR_ROLES), removalRules())
      : account('kk-operator', OPERATOR_ROLES)),
    ...(shape ? account('kk-operator-child', CHILD_ROLES) : []),
  ]
}

/** The Deployments of a shape, by the pod of every kk. */
function deployments({image, shape = {shape: 'one', shards: []}}: InstallOptions): readonly object[] {
  const deployment = (name: string, labels: {'app.kubernetes.io/name': string}, role: readonly string[]) => {
    const isParent = name === 'kk-operator'
    const probe = (path: string) => ({httpGet: {path, port: 8080}, periodSeconds: 10, timeoutSeconds: 5})
    const spec = kkPod({
      ...{account: labels['app.kubernetes.io/name'], container: 'operator', image},
      command: ['kk-operator', '--listen', '0.0.0.0:8080', ...role],
      more: {
        ports: [{name: 'probes', containerPort: 8080}],
        livenessProbe: probe('/healthz'),
        readinessProbe: probe('/readyz'),
      },
    })
    return {
      ...{apiVersion: 'apps/v1', kind: 'Deployment'},
      metadata: {
        ...{name, namespace: 'kk-system', labels},
        ...(isParent && {annotations: {'kk.openstack.org/shape': shape.shape}}),
      },
      spec: {
        replicas: isParent ? 2 : 1,
        selector: {matchLabels: labels},
        template: {metadata: {labels}, spec},
      },
    }
  }
  const named = shape.shards.flatMap((shard) => ['--shards', shard])
  const children = shape.shape === 'one' ? [] : [...shape.shards, 'others']
  return [
    deployment(
      'kk-operator',
      {'app.kubernetes.io/name': 'kk-operator'},
      shape.shape === 'one' ? [] : ['--role', 'parent', ...named],
    ),
    ...children.map((shard) => {
      const component = {'app.kubernetes.io/component': shard}
      const labels = {'app.kubernetes.io/name': 'kk-operator-child', ...component}
      return deployment(`kk-operator-${shard}`, labels, ['--role', 'child', '--shards', shard])
    }),
  ]
}

it.each<readonly [string, InstallOptions]>([
  ['by default', DEFAULTS],
  [
    'with other values',
    {...DEFAULTS, image: 'registry.example.org/kk:2', namespaces: ['openstack', 'ceph'], removes: true},
  ],
  ['with objects of the whole cluster', {...DEFAULTS, makesOfCluster: true}],
  [
    'in a shape of several processes',
    {...DEFAULTS, makesOfCluster: true, shape: {shape: 'per-component', shards: ['nova', 'nova-api']}},
  ],
])(
  'the operator chart has the CRDs, the accounts by the table of permissions, and the pods with %s',
  async (_, options) => {
    const found = await installed(options)

    const namespaces = ['kk-system', ...options.namespaces].map((name) => `Namespace /${name}`)
    const expected = byName([...crdObjects('1.2.3'), ...accounts(options), ...deployments(options)])
    const rest = found.filter((each) => !isPolicy(each))
    expect(found.filter(isPolicy).map(keyOf)).toEqual([
      'ValidatingAdmissionPolicy /kk-operator',
      'ValidatingAdmissionPolicyBinding /kk-operator',
    ])
    expect(byName(rest.filter(({kind}) => kind !== 'Namespace'))).toEqual(expected)
    expect(rest.map(keyOf).toSorted()).toEqual([...namespaces, ...expected.keys()].toSorted())
  },
)

it('the policy of the operator chart guards the kinds that kk deletes, and knows the annotations that kk reads', async () => {
  const policy = JSON.stringify((await installed(DEFAULTS)).find(isPolicy))
  const [group = '', version = ''] = ENVIRONMENTS.apiVersion.split('/')

  for (const {plural} of [ENVIRONMENTS, NODE_OPERATIONS]) {
    const rule = {apiGroups: [group], apiVersions: [version], resources: [plural]}
    expect(policy).toContain(JSON.stringify(rule).slice(1, -1))
  }
  for (const each of [...CRD_NAMES, ALLOW_REMOVAL, CONFIRM_REMOVE]) expect(policy).toContain(each)
})

it('the operator chart has no policies on a cluster without that kind, and its default values are those of the installation', async () => {
  const text = await withChart(ROOT, DEFAULTS, (call) =>
    helm.template({...call, values: {}}, {kubeVersion: '1.29.0'}),
  )

  expect(text).not.toMatch(/^kind: ValidatingAdmission/m)
  expect(text).toMatch(/^kind: Deployment/m)
  expect(text).toContain('image: "registry.example.org/kk:1"')
})

type Rules = readonly {readonly apiGroups: readonly string[]; readonly resources: readonly string[]}[]

it('the account of a remote operator has no rights on kinds of the hub', async () => {
  const groups = (objects: readonly KubernetesObject[]) =>
    new Set(objects.flatMap(({rules = []}) => rules as Rules).flatMap(({apiGroups}) => apiGroups))

  expect(groups(await installed(DEFAULTS))).toContain('kk.openstack.org')
  expect(groups(siteObjects(DEFAULTS))).not.toContain('kk.openstack.org')
  expect(groups(siteObjects(DEFAULTS))).not.toContain('apiextensions.k8s.io')
})

it('a separate operator can exist next to the account of another operator', async () => {
  const own = byName(await installed(DEFAULTS))
  const shared = [...byName(siteObjects(DEFAULTS))].filter(([key]) => own.has(key))

  expect(shared.map(([key]) => key)).toEqual(['Namespace /kk-system', 'Namespace /openstack'])
  for (const [key, object] of shared) expect(object).toEqual(own.get(key))
})
