import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {readEnvironment} from '../../../src/environment/read.ts'
import {makePlan} from '../../../src/plan/make-plan.ts'
import {type Prepared, prepare} from '../../../src/prepare/prepare.ts'
import {writeFiles} from '../../charts/support/write-files.ts'
import {recordOf} from '../../plan/fixtures.ts'

const ROOT = join(import.meta.dirname, '../../..')

function prepared(settings: object, directory = ROOT): Promise<Prepared> {
  return prepare({
    environment: readEnvironment({file: 'cloud.yaml', text: JSON.stringify(settings), directory}),
    finding: {builtIn: async () => join(ROOT, 'charts'), cache: '/nowhere', packages: {} as never},
    values: [],
    sets: [],
  })
}

async function graphOf(settings: object, directory = ROOT) {
  const {graph} = await prepared(settings, directory)
  const names = (ids: readonly string[]) => ids.map((each) => each.replace('openstack/', ''))
  const required = (name: string) =>
    names((graph.requirements.get(`openstack/${name}`) ?? []).map(({to}) => to))
  return {releases: names(graph.releases), required}
}

const at = (host: string) => ({endpoints: {oslo_db: {host_fqdn_override: {default: {host}}}}})

describe('a database outside of the cluster', () => {
  it.each(['db.example.org', '10.0.0.9', 'fd00::9'])(
    'at %s applies to all services, so that no mariadb is added',
    async (host) => {
      const {releases, required} = await graphOf({global: at(host), keystone: {}, glance: {}})

      expect(releases).not.toContain('mariadb')
      expect(required('keystone')).toEqual(['memcached', 'rabbitmq'])
      expect(required('glance')).toContain('keystone')
    },
  )

  it('can be set as the host, and for a section that is split into releases', async () => {
    const {releases, required} = await graphOf({
      kk: {releases: {nova: {components: true}}},
      global: {endpoints: {oslo_db: {hosts: {default: 'db.example.org'}}}},
      nova: {},
    })

    expect(releases).not.toContain('mariadb')
    expect(required('nova-common')).toContain('rabbitmq')
  })

  it('of one service does not change the databases of other services', async () => {
    const {required} = await graphOf({keystone: at('db.example.org'), glance: {}})

    expect(required('keystone')).not.toContain('mariadb')
    expect(required('glance')).toContain('mariadb')
  })

  it.each(['mariadb-server.openstack.svc.cluster.local', 'mariadb-server.openstack', 'mariadb-server'])(
    'does not include the address %s, which may be inside the cluster',
    async (host) => {
      const {required} = await graphOf({global: at(host), keystone: {}})

      expect(required('keystone')).toContain('mariadb')
    },
  )

  it('does not apply to a section that names a database in the cluster', async () => {
    const {required} = await graphOf({global: at('db.example.org'), keystone: at('db.infra.svc'), glance: {}})

    expect(required('keystone')).toContain('mariadb')
    expect(required('glance')).not.toContain('mariadb')
  })

  it('keeps requirements on a mariadb that the file names, and stated requirements', async () => {
    const settings = {kk: {releases: {mariadb: {protected: true}}}, global: at('db.example.org')}
    const stated = {kk: {releases: {keystone: {requires: ['mariadb']}}}, global: at('db.example.org')}

    const section = await graphOf({global: at('db.example.org'), mariadb: {}, keystone: {}})
    const required = await graphOf({...stated, keystone: {}})
    const named = await graphOf({...settings, keystone: {}})

    expect(section.required('keystone')).toContain('mariadb')
    expect(required.required('keystone')).toContain('mariadb')
    expect(named.required('keystone')).toContain('mariadb')
  })

  it('keeps a running mariadb, which is shown as no longer wanted', async () => {
    const before = await prepared({keystone: {}})
    const after = await prepared({global: at('db.example.org'), keystone: {}})
    const records = [...before.releases.values()].map(({desired}) => recordOf(desired))

    const {actions, bystanders} = makePlan({
      environment: 'cloud',
      file: 'cloud.yaml',
      cluster: {context: 'sandbox', server: 'https://127.0.0.1:6443', uid: 'u', version: 'v1.36.0'},
      graph: after.graph,
      desired: new Map([...after.releases].map(([release, {desired}]) => [release, desired])),
      records,
      mode: {kind: 'all'},
    })

    expect(actions.map(({release, kind}) => `${kind} ${release}`)).toContain('upgrade openstack/keystone')
    expect(actions.map(({kind}) => kind)).not.toContain('remove')
    expect(bystanders).toMatchObject([{release: 'openstack/mariadb', state: 'no-longer-wanted'}])
  })

  it('keeps requirements of charts that are not of kk', async () => {
    const chart =
      'apiVersion: v2\nname: app\nversion: 1.0.0\nannotations: {kk.openstack.org/requires: mariadb}\n'
    const directory = writeFiles({'charts/app/Chart.yaml': chart})
    const charts = [join(directory, 'charts'), join(ROOT, 'charts')]

    const {required} = await graphOf({kk: {charts}, global: at('db.example.org'), app: {}}, directory)

    expect(required('app')).toEqual(['mariadb'])
  })
})

it('monitors of a Ceph outside of the cluster add no ceph release', async () => {
  const monitors = {default: '10.0.0.11,10.0.0.12'}
  const endpoints = {ceph_mon: {host_fqdn_override: monitors}}

  const {releases} = await graphOf({global: {endpoints, storage: {backend: 'ceph'}}, cinder: {}})

  expect(releases).toContain('mariadb')
  expect(releases).not.toContain('ceph')
})
