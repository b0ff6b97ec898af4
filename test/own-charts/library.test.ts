import {rm, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import {GIVEN, useCharts} from './support/charts.ts'
import {find, ofKind, secret, variable} from './support/objects.ts'

/**
 * A service with more shapes than the six have: two files of one name, an agent on every node, a job by the
 * clock.
 */
const SERVICE = {
  image: 'compute-api',
  user: {name: 'compute', id: 42000},
  components: {
    api: {
      endpoint: 'compute',
      wsgi: 'compute.wsgi:application',
      files: ['conf', 'compute_api_uwsgi'],
      probe: {path: '/'},
    },
    conductor: {
      image: 'compute-conductor',
      command: 'compute-conductor',
      files: ['cell'],
      probe: {
        exec: ['healthcheck_port', 'compute-conductor'],
        reaches: ['oslo_messaging', 'oslo_db'],
        liveness: {exec: ['pgrep', '-f', 'compute-conductor']},
      },
    },
    agent: {
      kind: 'DaemonSet',
      image: 'compute-agent',
      command: 'compute-agent',
      node: 'compute',
      files: ['agent'],
      host: {network: true, pid: true},
      privileged: true,
      after: [],
      probe: {exec: ['true']},
      volumes: {run: {host: '/run', path: '/run', propagation: 'Bidirectional'}},
    },
  },
  files: {
    conf: {path: '/etc/compute/compute.conf', uses: {database: {name: 'compute_api'}}},
    cell: {path: '/etc/compute/compute.conf', name: 'compute-cell.conf', uses: {database: {name: 'compute'}}},
    agent: {path: '/etc/compute/compute.conf', name: 'compute-agent.conf', uses: {logging: true}},
  },
  databases: {compute_api: {user: 'compute'}, compute: {}},
  jobs: {
    'db-sync': {
      command: 'compute-manage db sync',
      after: ['db-create'],
      reads: ['database'],
      files: ['cell'],
    },
  },
  cronjobs: {purge: {command: 'compute-manage purge', schedule: '0 1 * * *', files: ['cell']}},
  endpoints: {compute: {port: {api: {default: 8774}}, path: {default: '/v2.1'}}},
}

const charts = await useCharts()
const compute = await charts.copy('memcached', 'compute')
await rm(join(compute, 'values.schema.json'))
await writeFile(
  join(compute, 'Chart.yaml'),
  'apiVersion: v2\nname: compute\nversion: 0.1.0\ndependencies: [{name: common, version: 0.1.0}]\n',
)
await writeFile(join(compute, 'values.yaml'), JSON.stringify(SERVICE))
const auth = {compute: {password: 'marked-compute'}}
// A broker that listens elsewhere, as one with TLS does.
const oslo_messaging = {port: {amqp: {default: 5671}}}
const global = mergeValues(GIVEN, {endpoints: {oslo_db: {auth}, oslo_messaging}})
const objects = await charts.render('compute', {global})

describe('a service of the library', () => {
  it('has each component as the kind of workload in its facts, on the nodes of its role', () => {
    const shape = ofKind(objects, 'Deployment', 'DaemonSet').map(({kind, metadata, spec}) => [
      kind,
      metadata.name,
      Object.keys(spec?.template?.spec.nodeSelector ?? {}),
    ])

    expect(shape).toEqual([
      ['DaemonSet', 'compute-agent', ['openstack-compute-node']],
      ['Deployment', 'compute-api', ['openstack-control-plane']],
      ['Deployment', 'compute-conductor', ['openstack-control-plane']],
    ])
  })

  it('passes its node to an agent', () => {
    const pod = find(objects, 'DaemonSet', 'compute-agent').spec?.template?.spec

    expect(pod).toMatchObject({hostNetwork: true, hostPID: true})
    expect(pod?.containers[0]?.securityContext).toEqual({privileged: true})
    expect(pod?.volumes).toContainEqual({name: 'run', hostPath: {path: '/run'}})
    expect(pod?.containers[0]?.volumeMounts).toContainEqual({
      name: 'run',
      mountPath: '/run',
      mountPropagation: 'Bidirectional',
    })
    expect(pod?.initContainers).toBeUndefined()
  })

  it.each([
    ['compute-api', 'conf', 'compute_api'],
    ['compute-conductor', 'cell', 'compute'],
  ])('gives %s a separate database by a file of the same name', (component, file, database) => {
    const [container] = find(objects, 'Deployment', component).spec?.template?.spec.containers ?? []

    expect(variable(container!, 'OS_DATABASE__CONNECTION')).toBe(
      `compute-env/${file}.OS_DATABASE__CONNECTION`,
    )
    expect(secret(objects, 'compute-env', `${file}.OS_DATABASE__CONNECTION`)).toMatch(
      new RegExp(`/${database}$`),
    )
  })

  it('creates every database with its user', () => {
    const [container] = find(objects, 'Job', 'compute-db-create').spec?.template?.spec.containers ?? []

    expect(JSON.parse(variable(container!, 'DATABASES') ?? '')).toEqual([
      {name: 'compute', user: 'compute', password: 'DB_PASSWORD_COMPUTE'},
      {name: 'compute_api', user: 'compute', password: 'DB_PASSWORD_COMPUTE'},
    ])
  })

  it('has a different liveness and readiness probe if configured', () => {
    const [container] = find(objects, 'Deployment', 'compute-conductor').spec?.template?.spec.containers ?? []

    expect(container?.readinessProbe).toMatchObject({
      exec: {command: ['healthcheck_port', 'compute-conductor', '5671', '3306']},
    })
    expect(container?.livenessProbe).toMatchObject({exec: {command: ['pgrep', '-f', 'compute-conductor']}})
  })

  it('runs a scheduled job under a constant name', () => {
    expect(find(objects, 'CronJob', 'compute-purge').metadata.name).toBe('compute-purge')
  })

  it('has no Service for a component without a port', () => {
    expect(ofKind(objects, 'Service').map(({metadata}) => metadata.name)).toEqual(['compute-api'])
  })

  it('is refused if two of its files have the same key', async () => {
    const values = {files: {cell: {name: 'compute.conf'}}}

    expect(await charts.refusal('compute', {global, values})).toContain(
      'files cell and conf are both called compute.conf',
    )
  })

  it.each([
    [
      {files: {cell: {name: 'db-sync.json'}}},
      "file cell is called db-sync.json, as is kolla's configuration of db-sync",
    ],
    [
      {files: {cell: {name: 'config.json'}}},
      "file cell is called config.json, as is kolla's configuration of",
    ],
    [
      {jobs: {api: {command: 'true', files: ['conf']}}},
      'a component, job, cronjob or test is called api twice',
    ],
  ])('is refused if a file has the key of a start file of kolla: %j', async (values, message) => {
    expect(await charts.refusal('compute', {global, values})).toContain(message)
  })
})
