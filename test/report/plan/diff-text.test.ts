import {describe, expect, it} from 'vitest'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import {redactObjects} from '../../../src/redact/objects.ts'
import {palette} from '../../../src/report/colour.ts'
import {diffText, type ManifestDiff} from '../../../src/report/plan/diff-text.ts'

const redact = (text: string) => text.replaceAll('hunter2', '(masked)').replaceAll('hunter3', '(masked)')

function diffOf(diff: Omit<ManifestDiff, 'release'>, level: 0 | 1 = 0): string {
  return diffText([{release: 'openstack/keystone', ...diff}], {palette: palette(level), redact})
}

function deployment(replicas: number, args: readonly string[] = []): KubernetesObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {name: 'keystone-api'},
    spec: {replicas, template: {spec: {containers: [{name: 'api', image: 'keystone', args}]}}},
  }
}

function secret(data: Record<string, string>, key: 'data' | 'stringData' = 'data'): KubernetesObject {
  return {apiVersion: 'v1', kind: 'Secret', metadata: {name: 'keystone', namespace: 'openstack'}, [key]: data}
}

const base64 = (text: string) => Buffer.from(text).toString('base64')

describe('a diff of manifests', () => {
  it('shows the changes of each object, and added and removed objects', () => {
    const service = {apiVersion: 'v1', kind: 'Service', metadata: {name: 'keystone'}}
    const job = {apiVersion: 'batch/v1', kind: 'Job', metadata: {name: 'db-sync'}}

    expect(diffOf({before: [deployment(1), job], after: [service, deployment(3)]})).toMatchInlineSnapshot(`
      "release openstack/keystone: 1 changed, 1 added, 1 removed
      --- /dev/null
      +++ v1 Service openstack/keystone
      @@ -0,0 +1,4 @@
      +apiVersion: v1
      +kind: Service
      +metadata:
      +  name: keystone
      --- apps/v1 Deployment openstack/keystone-api
      +++ apps/v1 Deployment openstack/keystone-api
      @@ -3,7 +3,7 @@
       metadata:
         name: keystone-api
       spec:
      -  replicas: 1
      +  replicas: 3
         template:
           spec:
             containers:
      --- batch/v1 Job openstack/db-sync
      +++ /dev/null
      @@ -1,4 +0,0 @@
      -apiVersion: batch/v1
      -kind: Job
      -metadata:
      -  name: db-sync
      "
    `)
  })

  it('identifies an object in any position and with any order of keys', () => {
    const {spec, metadata, ...rest} = deployment(1)
    const turned = {spec, metadata: {...metadata, namespace: 'openstack'}, ...rest} as KubernetesObject
    const text = diffOf({
      before: [{...deployment(1), metadata: turned.metadata}, secret({})],
      after: [secret({}), turned],
    })

    expect(text).toBe('release openstack/keystone: no object differs\n')
  })

  it('shows all of a new release', () => {
    expect(diffOf({before: undefined, after: [deployment(1)]})).toMatchInlineSnapshot(`
      "release openstack/keystone: new, 1 added
      --- /dev/null
      +++ apps/v1 Deployment openstack/keystone-api
      @@ -0,0 +1,12 @@
      +apiVersion: apps/v1
      +kind: Deployment
      +metadata:
      +  name: keystone-api
      +spec:
      +  replicas: 1
      +  template:
      +    spec:
      +      containers:
      +        - args: []
      +          image: keystone
      +          name: api
      "
    `)
  })

  it('masks the values of secrets, and marks changed ones', () => {
    const before = [secret({password: base64('hunter2hunter2'), user: base64('keystone'), gone: base64('x')})]
    const after = [
      secret({password: base64('hunter3hunter3'), user: base64('keystone'), token: base64('abc')}),
    ]

    const text = diffOf({before, after})

    expect(text).toMatchInlineSnapshot(`
      "release openstack/keystone: 1 changed
      --- v1 Secret openstack/keystone
      +++ v1 Secret openstack/keystone
      @@ -1,7 +1,7 @@
       apiVersion: v1
       data:
      -  gone: (masked)
      -  password: (masked)
      +  password: (masked, changed)
      +  token: (masked)
         user: (masked)
       kind: Secret
       metadata:
      "
    `)
    expect(text).not.toMatch(/hunter|aHVudGVy/)
  })

  it('masks stringData, also in a new secret', () => {
    const text = diffOf({before: undefined, after: [secret({password: 'correct horse'}, 'stringData')]})

    expect(text).toContain('+  password: (masked)')
    expect(text).not.toContain('horse')
  })

  it('masks a secret number that a template renders without quotes', () => {
    const container = {
      name: 'api',
      env: [
        {name: 'DB_PASSWORD', value: 918273645546},
        {name: 'PIN', value: 4711},
        {name: 'PORT', value: 3306},
      ],
      args: ['--password=ab12', '--token', '77'],
    }
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {name: 'api'},
      spec: {activeDeadlineSeconds: 600, containers: [container]},
    }
    const settings = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {name: 'settings'},
      data: {q: 73195284, num: '9.18273645546e+11', octal: 342391},
    }
    const redact = redactObjects([pod, settings], {
      password: 'ab12',
      db_password: '918273645546',
      token: 77,
      pin: {password: 73195284, secret: '01234567'},
    })

    const text = diffText([{release: 'openstack/api', before: [], after: [pod, settings]}], {
      palette: palette(0),
      redact,
    })

    expect(text).toMatchInlineSnapshot(`
      "release openstack/api: 2 added
      --- /dev/null
      +++ v1 Pod openstack/api
      @@ -0,0 +1,19 @@
      +apiVersion: v1
      +kind: Pod
      +metadata:
      +  name: api
      +spec:
      +  activeDeadlineSeconds: 600
      +  containers:
      +    - args:
      +        - --password=***
      +        - --token
      +        - '***'
      +      env:
      +        - name: DB_PASSWORD
      +          value: '***'
      +        - name: PIN
      +          value: 4711
      +        - name: PORT
      +          value: 3306
      +      name: api
      --- /dev/null
      +++ v1 ConfigMap openstack/settings
      @@ -0,0 +1,8 @@
      +apiVersion: v1
      +data:
      +  num: '***'
      +  octal: '***'
      +  q: '***'
      +kind: ConfigMap
      +metadata:
      +  name: settings
      "
    `)
  })

  it('masks known secrets elsewhere, and reports if there is no other difference', () => {
    const text = diffOf({
      before: [deployment(1, ['--password=hunter2'])],
      after: [deployment(1, ['--password=hunter3'])],
    })

    expect(text).toMatchInlineSnapshot(`
      "release openstack/keystone: 1 changed
      --- apps/v1 Deployment openstack/keystone-api
      +++ apps/v1 Deployment openstack/keystone-api
      differs only in values that are masked
      "
    `)
  })

  it('shows names and images that equal passwords, and masks these under secret keys', () => {
    const env = [{name: 'DB_PASSWORD', value: 'fernet'}]
    const container = {name: 'fernet-cleaner', image: 'registry/openstack/keystone:2026.1-fernet', env}
    const files = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {name: 'keystone-etc'},
      data: {
        'keystone.conf':
          'provider = fernet\npassword = keystone\nurl = a://keystone:keystone@db\nx = sunshine',
      },
    }
    const job = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: {name: 'keystone-cleaner', labels: {application: 'keystone'}},
      spec: {template: {spec: {containers: [container]}}},
    }
    const after = [secret({A_PASSWORD: base64('keystone'), B_PASSWORD: base64('sunshine')}), job, files]
    const redact = redactObjects(after, {
      passwords: ['fernet', 'cleaner', 'keystone-cleaner', '2026.1-fernet'],
    })

    const text = diffText([{release: 'openstack/keystone', before: [], after}], {palette: palette(0), redact})

    expect(text).toMatchInlineSnapshot(`
      "release openstack/keystone: 3 added
      --- /dev/null
      +++ v1 Secret openstack/keystone
      @@ -0,0 +1,8 @@
      +apiVersion: v1
      +data:
      +  A_PASSWORD: (masked)
      +  B_PASSWORD: (masked)
      +kind: Secret
      +metadata:
      +  name: keystone
      +  namespace: openstack
      --- /dev/null
      +++ batch/v1 Job openstack/keystone-cleaner
      @@ -0,0 +1,15 @@
      +apiVersion: batch/v1
      +kind: Job
      +metadata:
      +  labels:
      +    application: keystone
      +  name: keystone-cleaner
      +spec:
      +  template:
      +    spec:
      +      containers:
      +        - env:
      +            - name: DB_PASSWORD
      +              value: '***'
      +          image: registry/openstack/keystone:2026.1-fernet
      +          name: fernet-cleaner
      --- /dev/null
      +++ v1 ConfigMap openstack/keystone-etc
      @@ -0,0 +1,10 @@
      +apiVersion: v1
      +data:
      +  keystone.conf: |-
      +    provider = fernet
      +    password = ***
      +    url = a://keystone:***@db
      +    x = ***
      +kind: ConfigMap
      +metadata:
      +  name: keystone-etc
      "
    `)
  })

  it('shows additions in green and removals in red', () => {
    const text = diffOf({before: [deployment(1)], after: [deployment(3)]}, 1)

    expect(text).toContain('\u001b[31m-  replicas: 1\u001b[39m')
    expect(text).toContain('\u001b[32m+  replicas: 3\u001b[39m')
  })
})
