import {describe, expect, it} from 'vitest'
import {manifestFacts} from '../../../../src/prepare/inference/manifests/facts-of.ts'
import {env, wantLines, workload} from './manifests.ts'

const HOOK = {'helm.sh/hook': 'post-install,post-upgrade'}

describe('dependencies of kubernetes-entrypoint', () => {
  it.each([
    [
      'a Service of another namespace',
      {DEPENDENCY_SERVICE: 'infra:mariadb'},
      ['ready infra/Service/mariadb'],
    ],
    ['a Service of its own', {DEPENDENCY_SERVICE: 'openstack:mariadb'}, ['ready Service/mariadb']],
    ['several, and nothing', {DEPENDENCY_SERVICE: 'a, ,b,'}, ['ready Service/a', 'ready Service/b']],
    ['Jobs', {DEPENDENCY_JOBS: 'keystone-db-sync'}, ['ready Job/keystone-db-sync']],
    ['a DaemonSet', {DEPENDENCY_DAEMONSET: 'ovs'}, ['ready DaemonSet/ovs']],
    [
      'Jobs as JSON, by name and by labels',
      {DEPENDENCY_JOBS_JSON: '[{"name":"sync","namespace":"x"},{"labels":{"a":"b"}}]'},
      ['ready x/Job/sync', 'ready pods {"a":"b"}'],
    ],
    [
      'pods',
      {DEPENDENCY_POD_JSON: '[{"labels":{"application":"libvirt"},"requireSameNode":true}]'},
      ['ready pods {"application":"libvirt"}'],
    ],
    [
      'custom resources',
      {DEPENDENCY_CUSTOM_RESOURCE: '[{"apiVersion":"a.org/v1","kind":"Db","name":"x"}]'},
      ['ready kind Db.a.org'],
    ],
    [
      'an object of Kubernetes among them',
      {DEPENDENCY_CUSTOM_RESOURCE: '[{"apiVersion":"apps/v1","kind":"Deployment","name":"x"}]'},
      ['ready Deployment/x'],
    ],
    ['nothing, where the JSON is broken', {DEPENDENCY_POD_JSON: '[{'}, []],
    ['nothing, where the variable is another', {MY_DEPENDENCY_SERVICE: 'openstack:mariadb'}, []],
  ])('%s', (_, variables, expected) => {
    expect(wantLines(workload({init: env(variables as Record<string, string>)}))).toEqual(expected)
  })

  it.each([
    ['a hook', workload({kind: 'Job', annotations: HOOK, init: env({DEPENDENCY_SERVICE: 'a'})}), 'hook'],
    [
      'a hook in capitals',
      workload({
        kind: 'Job',
        annotations: {'helm.sh/hook': 'Post-Install, Post-Upgrade'},
        init: env({DEPENDENCY_SERVICE: 'a'}),
      }),
      'hook',
    ],
    ['a Job', workload({kind: 'Job', init: env({DEPENDENCY_SERVICE: 'a'})}), 'job'],
    ['a DaemonSet', workload({kind: 'DaemonSet', init: env({DEPENDENCY_SERVICE: 'a'})}), 'workload'],
  ])('is awaited by %s', (_, manifest, waiter) => {
    expect(manifestFacts(manifest, 'openstack').wants).toMatchObject([{kind: 'ready', waiter}])
  })

  it.each([
    ['a CronJob', workload({kind: 'CronJob', init: env({DEPENDENCY_SERVICE: 'a'})})],
    ['what has no replicas', workload({replicas: 0, init: env({DEPENDENCY_SERVICE: 'a'})})],
  ])('is soft for %s', (_, manifest) => {
    expect(wantLines(manifest)).toEqual(['soft Service/a'])
  })

  it.each(['test', 'Test', 'pre-delete', 'post-rollback'])('is ignored in a %s hook', (hook) => {
    const annotations = {'helm.sh/hook': hook}

    const lines = wantLines(workload({kind: 'Job', annotations, init: env({DEPENDENCY_SERVICE: 'a'})}))

    expect(lines).toEqual([])
  })
})

describe('custom kinds', () => {
  it.each([
    ['example.org/v1', ['applied kind Thing.example.org']],
    ['gateway.networking.k8s.io/v1', ['applied kind Thing.gateway.networking.k8s.io']],
    ['snapshot.storage.k8s.io/v1', ['applied kind Thing.snapshot.storage.k8s.io']],
    ['policy.networking.x-k8s.io/v1', ['applied kind Thing.policy.networking.x-k8s.io']],
    ['autoscaling.k8s.io/v1', ['applied kind Thing.autoscaling.k8s.io']],
    ['metrics.k8s.io/v1beta1', ['applied kind Thing.metrics.k8s.io']],
    ['v1', []],
    ['apps/v1', []],
    ['autoscaling/v2', []],
    ['resource.k8s.io/v1', []],
    ['flowcontrol.apiserver.k8s.io/v1', []],
    ['networking.k8s.io/v1', []],
    ['storage.k8s.io/v1', []],
    ['rbac.authorization.k8s.io/v1', []],
  ])('of %s', (apiVersion, expected) => {
    expect(wantLines(JSON.stringify({apiVersion, kind: 'Thing', metadata: {name: 'x'}}))).toEqual(expected)
  })
})

describe('objects that are referenced by name', () => {
  const volume = (source: object) => workload({spec: {volumes: [{name: 'v', ...source}]}})
  const variable = (valueFrom: object) => workload({container: {env: [{name: 'X', valueFrom}]}})

  it.each([
    ['a Secret as a volume', volume({secret: {secretName: 's'}}), ['applied Secret/s']],
    ['a ConfigMap as a volume', volume({configMap: {name: 'c'}}), ['applied ConfigMap/c']],
    ['a claim', volume({persistentVolumeClaim: {claimName: 'p'}}), ['applied PersistentVolumeClaim/p']],
    ['a projected Secret', volume({projected: {sources: [{secret: {name: 's'}}]}}), ['applied Secret/s']],
    ['a key of a Secret', variable({secretKeyRef: {name: 's', key: 'k'}}), ['applied Secret/s']],
    ['a key of a ConfigMap', variable({configMapKeyRef: {name: 'c', key: 'k'}}), ['applied ConfigMap/c']],
    ['all of a Secret', workload({container: {envFrom: [{secretRef: {name: 's'}}]}}), ['applied Secret/s']],
    ['an account', workload({spec: {serviceAccountName: 'a'}}), ['applied ServiceAccount/a']],
    ['a priority', workload({spec: {priorityClassName: 'high'}}), ['applied PriorityClass/high']],
    ['an optional Secret', volume({secret: {secretName: 's', optional: true}}), []],
    ['an optional key', variable({secretKeyRef: {name: 's', key: 'k', optional: true}}), []],
    ['an empty directory', volume({emptyDir: {}}), []],
    ['what every namespace has', volume({configMap: {name: 'kube-root-ca.crt'}}), []],
    ['the account of every namespace', workload({spec: {serviceAccountName: 'default'}}), []],
    ['a priority of every cluster', workload({spec: {priorityClassName: 'system-node-critical'}}), []],
  ])('%s', (_, manifest, expected) => {
    expect(wantLines(manifest)).toEqual(expected)
  })

  it('are soft if they are classes of the cluster', () => {
    const claim = {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: {name: 'data'},
      spec: {storageClassName: 'fast'},
    }
    const ingress = {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata: {name: 'api'},
      spec: {ingressClassName: 'nginx'},
    }

    const lines = [claim, ingress].flatMap((each) => wantLines(JSON.stringify(each)))

    expect(lines).toEqual(['soft StorageClass/fast', 'soft IngressClass/nginx'])
  })
})

describe('names of Services in strings', () => {
  const HOSTS = ['mariadb', 'mariadb:3306', 'mariadb.infra', 'mariadb.infra:3306', 'user']
  const config = (text: string) =>
    JSON.stringify({apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'etc'}, data: {conf: text}})

  it.each([
    ['mysql://mariadb.infra.svc.cluster.local:3306/x', ['soft host mariadb.infra']],
    ['mysql+pymysql://user:pa55@mariadb:3306/x', ['soft host mariadb', 'soft host mariadb:3306']],
    ['http://mariadb/x', ['soft host mariadb']],
    ['rabbit://u:p@other:1,u:p@mariadb:2/', ['soft host mariadb']],
    ['db_server = mariadb', ['soft host mariadb']],
    ['"address": "mariadb"', ['soft host mariadb']],
    ['listen mariadb:3306', ['soft host mariadb:3306']],
    ['the mariadb is a database', []],
    ['image: registry/mariadb:10.6', []],
    ['driver = mariadb', []],
  ])('%s', (text, expected) => {
    expect(wantLines(config(text), HOSTS)).toEqual(expected)
  })

  it('are found in the data of a Secret', () => {
    const data = {conf: Buffer.from('host=mariadb').toString('base64')}
    const secret = {apiVersion: 'v1', kind: 'Secret', metadata: {name: 'etc'}, data}

    expect(wantLines(JSON.stringify(secret), HOSTS)).toEqual(['soft host mariadb'])
  })

  it('are found in variables with a name for a host', () => {
    const named = workload({container: env({DB_HOST: 'mariadb'})})
    const other = workload({container: env({DB_DRIVER: 'mariadb'})})

    expect(wantLines(named, HOSTS)).toEqual(['soft host mariadb'])
    expect(wantLines(other, HOSTS)).toEqual([])
  })

  it.each([
    ['until nc -z mariadb 3306; do sleep 1; done', ['ready host mariadb:3306']],
    ['until mysqladmin ping -h mariadb; do sleep 1; done', ['ready host mariadb']],
    ['curl http://mariadb:3306/', ['ready host mariadb', 'ready host mariadb:3306']],
    ['cp -r /mariadb/3306 /x', []],
    ['echo http://mariadb/', ['soft host mariadb']],
  ])('are awaited by an init container that runs: %s', (script, expected) => {
    const manifest = workload({init: {command: ['sh', '-c', script]}})

    expect(wantLines(manifest, HOSTS)).toEqual(expected)
  })

  it('are links if a variable of Kubernetes is read', () => {
    expect(wantLines(config('echo $KEYSTONE_API_SERVICE_HOST $KUBERNETES_SERVICE_HOST'))).toEqual([
      'applied link KEYSTONE_API',
    ])
  })

  it.each([
    ['a variable of the container', workload({container: env({AUTH_SERVICE_HOST: 'auth'})})],
    ['a script', config('export AUTH_SERVICE_HOST=auth; echo "$AUTH_SERVICE_HOST"')],
    ['a configuration that becomes variables', config('AUTH_SERVICE_HOST: auth')],
    [
      'a variable from elsewhere',
      workload({
        container: {
          env: [
            {name: 'AUTH_SERVICE_HOST', valueFrom: {configMapKeyRef: {name: 'x', key: 'y', optional: true}}},
          ],
        },
      }),
    ],
  ])('are not links if the chart itself sets the variable in %s', (_, manifest) => {
    const reader = config('listen $AUTH_SERVICE_HOST:5000')

    expect(wantLines([manifest, reader].join('\n---\n'))).toEqual([])
  })

  it('are stored only as digests, because they may be passwords', () => {
    const facts = manifestFacts(
      [
        config('auth admin:1234 at http://user:hunter2@mariadb/'),
        workload({kind: 'Job', container: env({ADMIN_SECRET: 'hunter3'})}),
      ].join('\n---\n'),
      'openstack',
    )

    expect(JSON.stringify(facts)).not.toMatch(/1234|hunter/)
  })
})
