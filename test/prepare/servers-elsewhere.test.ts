import {expect, it} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import type {Records} from '../../src/kubernetes/records/records.ts'
import type {ReleaseRecord} from '../../src/kubernetes/records/release-record.ts'
import {serversElsewhereNotes} from '../../src/prepare/servers-elsewhere.ts'
import {type ReleaseId, releaseName} from '../../src/release.ts'
import {port} from '../kubernetes/support/port.ts'
import {desiredOf, recordOf} from '../plan/fixtures.ts'
import {KK, OSH, preparedOf} from '../verbs/secrets/environments.ts'

const infra = (name: string) => recordOf(desiredOf(name, {owner: 'infra'}))
const service = (name: string, clusterIP?: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: {name},
  spec: {clusterIP},
})

/** A cluster whose servers were made by charts of kk's own, or by those of openstack-helm. */
function clusterWith(charts: 'kk' | 'openstack-helm'): {readonly records: Records} {
  return {
    records: port({
      stored: async (release: ReleaseId) => {
        const name = releaseName(release)
        const kk = [service(`${name}-members`, 'None'), service(`${name}-server`)]
        const objects = charts === 'kk' ? kk : [service(name)]
        const annotations = charts === 'kk' ? {'kk.openstack.org/shared-infrastructure': 'true'} : {}
        const manifest = objects.map((object) => JSON.stringify(object)).join('\n---\n')
        return {
          ...infra(name),
          manifest,
          chart: {name, version: '0.1.0', appVersion: '', annotations},
        } as never
      },
    }),
  }
}

interface Case {
  readonly sections: Readonly<Record<string, object>>
  readonly charts?: string
  readonly servers?: 'kk' | 'openstack-helm'
  readonly records?: readonly ReleaseRecord[]
  readonly kk?: object
}

async function notesOf({sections, charts = OSH, servers = 'kk', records, kk = {}}: Case) {
  const prepared = await preparedOf(sections, {kk: {infer: false, charts: [charts, KK], ...kk}})
  const seen = records ?? [infra('mariadb'), infra('rabbitmq')]
  return serversElsewhereNotes(prepared, seen, clusterWith(servers))
}

it("a note for a client of openstack-helm has host and administrator of kk's servers in another environment", async () => {
  const notes = await notesOf({sections: {nova: {}}})

  expect(notes).toEqual([
    'nova looks for oslo_db at mariadb, but openstack/mariadb of the environment infra answers at mariadb-server: ' +
      'set in the section nova: endpoints.oslo_db.hosts.default: mariadb-server, ' +
      'endpoints.oslo_db.auth.admin.username: root, ' +
      'endpoints.oslo_db_api.hosts.default: mariadb-server, endpoints.oslo_db_api.auth.admin.username: root, ' +
      'endpoints.oslo_db_cell0.hosts.default: mariadb-server, endpoints.oslo_db_cell0.auth.admin.username: root',
    'nova looks for oslo_messaging at rabbitmq, but openstack/rabbitmq of the environment infra answers at rabbitmq-server: ' +
      'set in the section nova: endpoints.oslo_messaging.hosts.default: rabbitmq-server, ' +
      'endpoints.oslo_messaging.auth.admin.username: openstack, endpoints.oslo_messaging.statefulset: null',
  ])
})

it('a note also sets the namespace if the client requires a server in another namespace', async () => {
  const mariadb = {...infra('mariadb'), release: 'infra/mariadb' as ReleaseId}
  const kk = {releases: {placement: {requires: ['infra/mariadb']}}}
  const sections = {placement: {}}

  const required = await notesOf({sections, records: [mariadb], kk})
  const unrelated = await notesOf({sections, records: [mariadb]})

  expect(required).toEqual([
    expect.stringContaining(
      'endpoints.oslo_db.hosts.default: mariadb-server, endpoints.oslo_db.namespace: infra',
    ),
  ])
  expect(unrelated).toEqual([])
})

const HOSTS = {endpoints: {oslo_db: {hosts: {default: 'mariadb-server'}}}}

it.each<[string, Case]>([
  ['that states hosts', {sections: {placement: HOSTS}}],
  ["of kk's own charts", {sections: {placement: {}}, charts: KK}],
  ["of openstack-helm's own servers", {sections: {placement: {}}, servers: 'openstack-helm'}],
  ['whose own environment has the server', {sections: {placement: {}, mariadb: {}}}],
  [
    'of a server that was removed',
    {
      sections: {placement: {}},
      records: [recordOf(desiredOf('mariadb', {owner: 'infra'}), {status: 'uninstalled'})],
    },
  ],
])('there is no note for a client %s', async (_, given) => {
  expect((await notesOf(given)).filter((note) => note.includes('oslo_db'))).toEqual([])
})

it('an unreadable record of a server is skipped', async () => {
  const prepared = await preparedOf({placement: {}}, {kk: {infer: false, charts: [OSH, KK]}})
  const stored = () => Promise.reject(new KkError('KK_FORBIDDEN', 'not yours'))

  expect(
    await serversElsewhereNotes(prepared, [infra('mariadb')], {
      records: port({stored}),
    }),
  ).toEqual([])
})
