import {describe, expect, it} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {deployChange} from '../../../src/doctor/checks/change.ts'
import {CHECKS, checkBefore} from '../../../src/doctor/checks/checks.ts'
import type {ReleaseId} from '../../../src/release.ts'

const object = (kind: string, more: object) => ({
  object: {apiVersion: 'v1', kind, metadata: {name: 'api'}, ...more},
  file: '',
})

describe('the password of the first account of a server', () => {
  const OUTSIDE = {oslo_db: {host_fqdn_override: {default: 'db.example.org'}}}

  /** What kk would give release api as new, by its values, beside a release of another chart. */
  function changeWith(values: Values, {other = 'memcached', isNew = true} = {}) {
    const name = (type: string) => `${type}.admin.password`
    const secrets = ['oslo_db', 'oslo_messaging', 'identity'].map((type) => {
      const path = ['global', 'endpoints', type, 'auth', 'admin', 'password']
      return {name: name(type), path, byHand: undefined, former: [], isNew}
    })
    const made = {oslo_db: 'made-a', oslo_messaging: 'made-b', identity: 'made-c'}
    const auth = Object.entries(made).map(([type, password]) => [type, {auth: {admin: {password}}}])
    const system = {global: {endpoints: Object.fromEntries(auth)}}
    const layers = [system, values].map((each) => ({name: 'environment', source: 'a', values: each}))
    const releases = new Map([
      ['openstack/api', {chart: {name: 'nova'}, layers}],
      ['openstack/other', {chart: {name: other}, layers: []}],
    ])
    return deployChange({
      prepared: {releases, environment: {given: []}, generated: new Map([['openstack/api', secrets]])},
      plan: {actions: [], bystanders: []},
      rendered: new Map(),
      previous: new Map(),
      records: new Map(),
      cluster: {},
    } as unknown as Parameters<typeof deployChange>[0])
  }

  it.each<[string, Values, object, readonly string[]]>([
    ['is outside for all', {global: {endpoints: OUTSIDE}}, {}, ['oslo_db.admin.password']],
    ['is outside for one release', {endpoints: OUTSIDE}, {}, ['oslo_db.admin.password']],
    [
      'is a message bus or Keystone outside',
      {
        endpoints: {
          oslo_messaging: {hosts: {default: '10.0.0.9'}},
          identity: {hosts: {default: 'k.example.org'}},
        },
      },
      {},
      ['oslo_messaging.admin.password', 'identity.admin.password'],
    ],
    ['is one that a release runs', {endpoints: OUTSIDE}, {other: 'mariadb'}, []],
    ['is in the cluster', {endpoints: {oslo_db: {hosts: {default: 'mariadb.shared'}}}}, {}, []],
    ['is outside, and its password is kept', {endpoints: OUTSIDE}, {isNew: false}, []],
  ])('is not generated if the server %s', (_, values, setting, names) => {
    expect(changeWith(values, setting).strayKeys!.map(({name}) => name)).toEqual(names)
  })

  it('is required before the first change if a pod gets the password', async () => {
    const change = changeWith({endpoints: OUTSIDE})
    const stringData = {PASSWORD: change.strayKeys![0]!.value}
    const from = {secretKeyRef: {name: 'api', key: 'PASSWORD'}}
    const containers = [{name: 'c', env: [{name: 'PASSWORD', valueFrom: from}]}]
    const objects = [object('Secret', {stringData}), object('Job', {spec: {template: {spec: {containers}}}})]
    const next = new Map([['openstack/api' as ReleaseId, {objects, before: [], hooksBefore: []}]])
    const accounts = CHECKS.filter(({name}) => name === 'accounts of servers that are there')

    await expect(checkBefore({...change, next}, accounts)).rejects.toMatchObject({
      code: 'KK_UNSTATED',
      message: expect.stringContaining('no release runs mariadb, and oslo_db.admin.password'),
      hint: expect.stringContaining('global.endpoints.oslo_db.auth.admin.password'),
    })
  })
})
