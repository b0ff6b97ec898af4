import {gunzipSync, gzipSync} from 'node:zlib'
import {describe, expect, it} from 'vitest'
import {decodePayload, withChanges} from '../../../src/kubernetes/records/payload.ts'

const record = {
  release: 'openstack/keystone',
  revision: 3,
  status: 'deployed',
  labels: {},
  secret: {name: 'sh.helm.release.v1.keystone.v3', uid: 'u', resourceVersion: '1'},
} as const

const twice = (bytes: Buffer) => Buffer.from(bytes.toString('base64')).toString('base64')
const stored = (payload: unknown) => twice(gzipSync(JSON.stringify(payload)))

describe('the payload of a record', () => {
  it('has manifest, values, hooks, chart and apply method', () => {
    const data = stored({
      manifest: 'kind: A',
      config: {replicas: 2},
      hooks: [
        {
          manifest: 'kind: B',
          name: 'b',
          last_run: {phase: 'Succeeded', completed_at: '2026-11-28T10:00:00Z'},
        },
        {manifest: 'kind: D', last_run: {phase: ''}},
      ],
      chart: {
        metadata: {name: 'keystone', version: '1.2.3', appVersion: '2025.1', annotations: {team: 'a'}},
        files: [
          {name: 'crds/users.yaml', data: Buffer.from('kind: C').toString('base64')},
          {name: 'README.md', data: ''},
        ],
      },
      apply_method: 'ssa',
    })

    expect(decodePayload(record, data)).toEqual({
      ...record,
      manifest: 'kind: A',
      values: {replicas: 2},
      hooks: ['kind: B', 'kind: D'],
      ranHooks: ['kind: B'],
      openHooks: ['kind: D'],
      hookRuns: [
        {manifest: 'kind: B', phase: 'Succeeded', completedAt: '2026-11-28T10:00:00Z'},
        {manifest: 'kind: D', phase: ''},
      ],
      isInstall: false,
      chart: {name: 'keystone', version: '1.2.3', appVersion: '2025.1', annotations: {team: 'a'}},
      crds: ['kind: C'],
      applyMethod: 'ssa',
      bytes: Buffer.byteLength(data, 'base64'),
    })
  })

  it.each([
    ['install', '2026-11-28T10:00:00Z', true],
    ['upgrade', '2026-11-28T11:00:00Z', false],
  ])('recognises the revision of an %s by its first deployment time', (_, last_deployed, isInstall) => {
    const info = {first_deployed: '2026-11-28T10:00:00Z', last_deployed}

    expect(decodePayload(record, stored({info}))).toMatchObject({isInstall, deployedAt: last_deployed})
  })

  it('of helm 3 has no apply method, and may have null for its hooks', () => {
    expect(decodePayload(record, stored({hooks: null, config: null, manifest: ''}))).toMatchObject({
      values: {},
      hooks: [],
      applyMethod: undefined,
    })
  })

  it('is read uncompressed too, as by helm', () => {
    expect(decodePayload(record, twice(Buffer.from('{"manifest":"kind: A"}')))).toMatchObject({
      manifest: 'kind: A',
    })
  })

  it.each([
    ['missing', undefined],
    ['cut short', stored({manifest: 'x'.repeat(1000)}).slice(0, 40)],
    ['not an object', stored(5)],
    ['not base64 of anything', 'garbage'],
  ])('is an error if it is %s, because helm would ignore the release', (_, data) => {
    expect(() => decodePayload(record, data)).toThrow(
      expect.objectContaining({
        code: 'KK_RECORD',
        message:
          'the record of revision 3 of openstack/keystone (Secret sh.helm.release.v1.keystone.v3) cannot be read',
      }),
    )
  })
})

describe('a changed record', () => {
  const json =
    '{"info":{"status":"pending-upgrade","notes":"n","description":"Preparing upgrade"},' +
    '"config":{"big":12345678901234567890,"float":1.50,"small":1e-07,"n":null,"text":"1e3 <b>"},"later":[1]}'
  const unpacked = (data: string) =>
    gunzipSync(Buffer.from(Buffer.from(data, 'base64').toString(), 'base64')).toString()

  it('keeps the other fields, and the notation of numbers', () => {
    const changed = withChanges(record, twice(gzipSync(json)), {
      info: {status: 'failed', description: 'kk'},
    })

    expect(unpacked(changed)).toBe(
      json.replace('pending-upgrade', 'failed').replace('Preparing upgrade', 'kk'),
    )
  })

  it('marks failed hooks', () => {
    const hook = (name: string) => ({name, kind: 'Job', last_run: {started_at: 's', phase: 'Succeeded'}})
    const before = stored({hooks: [hook('migrate'), hook('other')]})

    const changed = withChanges(record, before, {info: {}, failedHooks: ['Job/migrate']})

    expect(JSON.parse(unpacked(changed)).hooks).toEqual([
      {...hook('migrate'), last_run: {started_at: 's', phase: 'Failed'}},
      hook('other'),
    ])
  })

  it('is not written if the record cannot be read', () => {
    expect(() => withChanges(record, twice(gzipSync('[')), {info: {}})).toThrow(
      expect.objectContaining({code: 'KK_RECORD'}),
    )
  })
})
