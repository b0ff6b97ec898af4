import {describe, expect, it} from 'vitest'
import {atNight} from '../support/night.ts'
import {auditEvents, kubectl, makeNamespace} from './support/cluster.ts'
import {allInOne, FIXTURES, makeEnvironment, workloads} from './support/environment.ts'
import {objectsChart} from './support/objects-chart.ts'
import {revisions} from './support/records.ts'

/**
 * Objects that a release could have made; a namespace of its own has a ConfigMap and an account in any case.
 */
const objects = (namespace: string) =>
  kubectl([
    'get',
    'deployments,jobs,secrets,persistentvolumeclaims',
    '--namespace',
    namespace,
    '--output',
    'name',
  ])

/**
 * The names of the objects, by resource, that the API server was asked to accept in a dry run, with its
 * answer.
 */
async function dryRuns(namespace: string): Promise<{resource: string; name: string; code: number}[]> {
  const events = await auditEvents(namespace)
  return events
    .filter(({requestURI}) => requestURI.includes('dryRun=All'))
    .map(({objectRef, responseStatus}) => ({
      resource: objectRef!.resource,
      name: objectRef!.name!,
      code: responseStatus!.code,
    }))
}

/** An environment whose release `api`, of these objects, requires `db`. */
async function withObjects(...objects: readonly object[]) {
  const environment = await makeEnvironment()
  const charts = [FIXTURES, await objectsChart(environment.directory)]
  const write = (...wanted: readonly object[]) => {
    const {kk, ...sections} = workloads({db: {}})
    const releases = {...kk!.releases, api: {chart: 'objects', requires: ['db']}}
    return environment.write({kk: {charts, releases}, ...sections, api: {objects: wanted}})
  }
  await write(...objects)
  return {...environment, write}
}

const CONFIG_MAP = {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'a'}}

const OWNER = {apiVersion: 'v1', kind: 'ConfigMap', name: 'b', uid: 'b'}

const statefulSet = (spec: object) => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: {name: 'set'},
  spec: {
    serviceName: 'set',
    selector: {matchLabels: {app: 'set'}},
    template: {
      metadata: {labels: {app: 'set'}},
      spec: {containers: [{name: 'main', image: 'registry.example.org/workload:1'}]},
    },
    ...spec,
  },
})

describe.concurrent('before the first change', () => {
  const refused = [
    [
      'two items of one key in a list',
      {
        ...CONFIG_MAP,
        kind: 'Service',
        spec: {
          ports: [
            {name: 'one', port: 80},
            {name: 'two', port: 80},
          ],
        },
      },
      /api: Service\/a: .*(?:duplicate entries for key|Duplicate value)/,
    ],
    [
      'a kind that the cluster does not serve',
      {apiVersion: 'example.org/v1', kind: 'Nothing', metadata: {name: 'a'}},
      /api: Nothing\/a: the cluster serves no kind Nothing of example.org\/v1/,
    ],
    [
      'a name that no object can have',
      {...CONFIG_MAP, metadata: {name: '../../x y'}},
      /api: ConfigMap\/\.\.\/\.\.\/x y: metadata.name: .* is no valid name/,
    ],
    [
      'a namespace that does not exist',
      {...CONFIG_MAP, metadata: {name: 'a', namespace: 'nobody-makes-this'}},
      /api: ConfigMap\/a: there is no namespace nobody-makes-this/,
    ],
    [
      'a value that no such object can have',
      {...CONFIG_MAP, kind: 'Service', spec: {ports: [{port: 99999}]}},
      /api: Service\/a: .*spec.ports\[0\].port: Invalid value: 99999/,
    ],
    [
      'a field of the wrong type',
      {...CONFIG_MAP, data: {b: ['x']}},
      /api: ConfigMap\/a: .*cannot be handled as a ConfigMap/,
    ],
    [
      'a field that the kind does not have',
      {...CONFIG_MAP, metadata: {name: 'a', ownerReferences: [{...OWNER, nobody: 'x'}]}},
      /api: ConfigMap\/a: .*unknown field "metadata.ownerReferences\[0\].nobody"/,
    ],
  ] as const
  const isRefused = async (_what: string, object: object, says: RegExp) => {
    const environment = await withObjects(object)

    const planned = await environment.kk('plan')
    const deployed = await environment.kk('deploy')

    const namespaces = await kubectl(['get', 'namespace', environment.name, '--ignore-not-found'])
    expect([planned.exitCode, deployed.exitCode], deployed.stderr).toEqual([2, 2])
    expect(planned.stderr).toMatch(says)
    expect(deployed.stderr).toMatch(says)
    expect(deployed.stderr).toContain('nothing was changed')
    expect(namespaces).toBe('')
  }
  const title = '%s is refused, also by plan, if the namespace does not exist yet'
  it.each(refused.slice(0, 3))(title, isRefused)

  atNight(() => {
    it.each(refused.slice(3))(title, isRefused)

    it('an object that the API server refuses is refused by each plan, also if an earlier command rendered it', async () => {
      const environment = await withObjects({...CONFIG_MAP, kind: 'Service', spec: {ports: [{port: 99999}]}})
      await environment.kk('graph')

      const plans = [await environment.kk('plan'), await environment.kk('plan')]

      expect(plans.map(({exitCode}) => exitCode)).toEqual([2, 2])
      for (const {stderr} of plans) expect(stderr).toMatch(/api: Service\/a: .*Invalid value: 99999/)
    })

    it('an upgrade that drops an immutable field is refused, also by plan, and no revision fails', async () => {
      const data = {accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '1Gi'}}}
      const claims = [{metadata: {name: 'data'}, spec: data}]
      const environment = await withObjects(statefulSet({volumeClaimTemplates: claims, replicas: 0}))
      await environment.deploy()
      await environment.write(statefulSet({replicas: 0}))

      const planned = await environment.kk('plan')
      const deployed = await environment.kk('deploy')

      expect([planned.exitCode, deployed.exitCode]).toEqual([2, 2])
      expect(planned.stderr).toMatch(/KK_INVALID_OBJECT[\s\S]*api: StatefulSet\/set: .*Forbidden: updates to/)
      expect(deployed.stderr).toMatch(
        /KK_INVALID_OBJECT[\s\S]*api: StatefulSet\/set: .*Forbidden: updates to/,
      )
      expect(await revisions(environment.name)).toEqual({api: 1, db: 1})
    })

    it('the server accepts every object of the six charts in a dry run', async () => {
      const namespace = await makeNamespace('validation')
      const environment = await makeEnvironment({content: await allInOne(), namespace})

      const {exitCode, stderr} = await environment.kk('deploy', '--dry-run')

      expect(exitCode, stderr).toBe(0)
      const asked = await dryRuns(namespace)
      expect(asked.filter(({code}) => code >= 300)).toEqual([])
      const names = asked.map(({resource, name}) => `${resource}/${name}`)
      expect(names).toEqual(
        expect.arrayContaining([
          'statefulsets/mariadb-server',
          'statefulsets/rabbitmq-server',
          'statefulsets/memcached-server',
          'deployments/keystone-api',
          'deployments/glance-api',
          'deployments/horizon-server',
          'secrets/keystone-env',
          'configmaps/glance-etc',
          'cronjobs/keystone-fernet-rotate',
          expect.stringMatching(/^jobs\/glance-db-sync-/),
        ]),
      )
      expect(await objects(namespace)).toBe('')
    })
  })

  it('an object that a chart renders twice with different content is refused', async () => {
    const environment = await withObjects(CONFIG_MAP, {...CONFIG_MAP, data: {a: '1'}})

    const {exitCode, stderr} = await environment.kk('deploy')

    expect(exitCode, stderr).toBe(2)
    expect(stderr).toMatch(/api: ConfigMap\/a: the chart renders it more than once, and not the same/)
    expect(await revisions(environment.name)).toEqual({})
  })

  it('a webhook that does not respond is named, without a report on an object', async () => {
    const environment = await withObjects(CONFIG_MAP)
    await environment.deploy()
    const {name} = environment
    const selector = {matchLabels: {'kubernetes.io/metadata.name': name}}
    const rules = [{apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['UPDATE']}]
    await kubectl(['create', '--filename', '-'], {
      input: {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: {name},
        webhooks: [
          {
            name: 'down.example.org',
            clientConfig: {service: {namespace: name, name: 'down'}},
            namespaceSelector: selector,
            rules,
            sideEffects: 'None',
            admissionReviewVersions: ['v1'],
          },
        ],
      },
    })
    await environment.write({...CONFIG_MAP, data: {a: '1'}})

    const {exitCode, stderr} = await environment.kk('deploy')
    await kubectl(['delete', 'validatingwebhookconfiguration', name])

    expect(exitCode, stderr).toBe(1)
    expect(stderr).toContain('KK_WEBHOOK')
    expect(stderr).toContain(`${name}/down, for ConfigMap/a`)
    expect(await revisions(name)).toEqual({api: 1, db: 1})
  })

  it('an object that the server refuses is an error with its name, and nothing is changed', async () => {
    const namespace = await makeNamespace('validation')
    const content = workloads({
      db: {},
      api: {requires: ['db'], values: {nodeSelector: {zone: 'not a label'}, claim: 'Not A Class'}},
    })
    const environment = await makeEnvironment({content, namespace})

    const {exitCode, stdout, stderr} = await environment.kk('deploy', '--output', 'json')

    expect(exitCode).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({error: {code: 'KK_INVALID_OBJECT'}})
    expect(stderr).toContain(`${namespace}/api: Deployment/api: `)
    expect(stderr).toContain(`${namespace}/api: PersistentVolumeClaim/api: `)
    expect(stderr).toContain('nothing was changed')
    expect(await revisions(namespace)).toEqual({})
    expect(await objects(namespace)).toBe('')
  })

  it('an upgrade that would change an immutable field is refused, and the release stays as it is', async () => {
    const job = (pod: object) => workloads({db: {values: {job: {pod}}}, cache: {}})
    const environment = await makeEnvironment({content: job({})})
    await environment.deploy()
    await environment.write(job({'ready-after': '1s'}))

    const {exitCode, stderr} = await environment.kk('deploy')

    expect(exitCode).toBe(2)
    expect(stderr).toMatch(/KK_INVALID_OBJECT[\s\S]*db: Job\/db-job: .*field is immutable/)
    expect(await revisions(environment.name)).toEqual({cache: 1, db: 1})
  })

  it('an object of a release of another owner is an error with its name, and nothing is changed', async () => {
    const namespace = await makeNamespace('claimed')
    const helm = {labels: {'app.kubernetes.io/managed-by': 'Helm'}}
    const mark = {'meta.helm.sh/release-name': 'theirs', 'meta.helm.sh/release-namespace': namespace}
    await kubectl(['create', '--filename', '-'], {
      input: JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {name: 'api', namespace, ...helm, annotations: mark},
      }),
    })
    const content = workloads({db: {}, api: {requires: ['db'], values: {conf: {debug: true}}}})
    const environment = await makeEnvironment({content, namespace})

    const {exitCode, stderr} = await environment.kk('deploy')

    expect(exitCode).toBe(3)
    expect(stderr).toContain('KK_IN_THE_WAY')
    expect(stderr).toContain(
      `${namespace}/api: ConfigMap/api, which belongs to the release ${namespace}/theirs`,
    )
    expect(await revisions(namespace)).toEqual({})
  })

  it('a secret value that the API server quotes is masked, whether the namespace exists or not', async () => {
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {name: 'svc'},
      spec: {clusterIP: 'sk-9f81', ports: [{port: 80}]},
    }
    const settings = {...CONFIG_MAP, data: {pin: 73195284}}
    const namespace = await makeNamespace('quoted')
    for (const options of [{}, {content: {}, namespace}]) {
      const environment = await makeEnvironment(options)
      await environment.write({
        kk: {charts: [await objectsChart(environment.directory)], releases: {api: {chart: 'objects'}}},
        api: {api_key: 'sk-9f81', pin: {password: 73195284}, objects: [service, settings]},
      })

      const runs = [
        await environment.kk('deploy'),
        await environment.kk('deploy', '--output', 'ndjson'),
        await environment.kk('plan', '--diff'),
        await environment.kk('plan', '--save', 'saved.json', '--output', 'json'),
      ]

      for (const {exitCode, stdout, stderr} of runs) {
        expect(exitCode).toBe(2)
        expect(`${stdout}${stderr}`).toContain('KK_INVALID_OBJECT')
        expect(`${stdout}${stderr}`).toContain('***')
        expect(`${stdout}${stderr}`).not.toMatch(/sk-9f81|73195284|7\.3195284/)
      }
    }
  })

  it('a namespace that is being deleted is reported once, not per object', async () => {
    const namespace = await makeNamespace('going')
    const held = {name: 'held', namespace, finalizers: ['example.org/hold']}
    await kubectl(['create', '--filename', '-'], {
      input: JSON.stringify({apiVersion: 'v1', kind: 'ConfigMap', metadata: held}),
    })
    await kubectl(['delete', 'namespace', namespace, '--wait=false'])
    const environment = await makeEnvironment({content: workloads({db: {}, api: {}}), namespace})

    const {exitCode, stderr} = await environment.kk('deploy')

    expect(exitCode).toBe(2)
    expect(stderr.match(/being deleted/g)).toHaveLength(1)
    expect(stderr).toContain(`nothing can be created there: namespace ${namespace}`)
    expect(stderr).toContain('kk doctor shows what holds it')
    await kubectl([
      'patch',
      'configmap',
      'held',
      '--namespace',
      namespace,
      '--patch',
      '{"metadata":{"finalizers":null}}',
    ])
  })

  it('an object that only its namespace refuses is found just before its own helm, after its requirements', async () => {
    const environment = await makeEnvironment()
    const charts = [await objectsChart(environment.directory)]
    const releases = {db: {chart: 'objects'}, api: {chart: 'objects', requires: ['db']}}
    const limits = [{type: 'PersistentVolumeClaim', max: {storage: '1Gi'}}]
    const range = {apiVersion: 'v1', kind: 'LimitRange', metadata: {name: 'small'}, spec: {limits}}
    const spec = {accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '2Gi'}}}
    const claim = {apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: {name: 'large'}, spec}
    await environment.write({kk: {charts, releases}, db: {objects: [range]}, api: {objects: [claim]}})

    const {exitCode, stderr} = await environment.kk('deploy')

    expect(exitCode).toBe(1)
    expect(stderr).toMatch(/api +failed after .*: KK_INVALID_OBJECT: /)
    expect(await revisions(environment.name)).toEqual({db: 1})
  })
})
