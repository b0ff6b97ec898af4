import {expect, test} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import type {Records} from '../../src/kubernetes/records/records.ts'
import type {ReleaseRecord} from '../../src/kubernetes/records/release-record.ts'
import type {Layer} from '../../src/overrides/layer.ts'
import {preparedMask, recordedMask} from '../../src/prepare/environment-mask.ts'
import type {ReleaseId} from '../../src/release.ts'
import {port} from '../kubernetes/support/port.ts'
import {desiredOf, recordOf} from '../plan/fixtures.ts'
import {action, plan} from '../report/support/plans.ts'

const layer = (password: string): Layer => ({name: 'section', source: 'env.yaml', values: {auth: {password}}})

test('the mask covers secret values of all releases of an environment', () => {
  const releases = new Map(
    ['nova', 'glance'].map((name) => {
      const desired = desiredOf(name)
      return [desired.release, {desired, layers: [layer(`${name}-secret`)], chart: {}, timeoutSeconds: 1}]
    }),
  ) as unknown as Parameters<typeof preparedMask>[0]['releases']

  const mask = preparedMask({releases})

  expect(mask('nova-secret, glance-secret, heat-secret')).toBe('***, ***, heat-secret')
})

test('without a file the mask covers secrets in records and skips unreadable records', async () => {
  const cluster: {readonly records: Records} = {
    records: port({
      list: async () => ['nova', 'glance', 'heat'].map((name) => recordOf(desiredOf(name))),
      stored: async (release: ReleaseId) => {
        if (release === 'openstack/heat') throw new KkError('KK_RECORD', 'it is damaged')
        return {...({} as ReleaseRecord), values: {password: `${release}-secret`}} as never
      },
    }),
  }

  const mask = await recordedMask(cluster, plan({actions: [action('nova', 'rollback')]}))

  expect(mask('openstack/nova-secret, openstack/glance-secret')).toBe('***, ***')
})
