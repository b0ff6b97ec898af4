import {expect, it} from 'vitest'
import {listEveryRecord} from '../../../src/kubernetes/records/records.ts'
import {json, scriptedServer} from '../support/api-server.ts'

function secret(
  name: string,
  labels: Readonly<Record<string, string>> = {owner: 'helm', status: 'deployed'},
) {
  return {metadata: {name, namespace: 'openstack', uid: name, resourceVersion: '1', labels}}
}

it('every revision is listed, and every Secret of helm without a release', async () => {
  const items = [
    secret('sh.helm.release.v1.keystone.v2'),
    secret('sh.helm.release.v1.keystone.v1', {owner: 'helm', status: 'superseded'}),
    secret('sh.helm.release.v1.glance.v1', {status: 'deployed'}),
    secret('sh.helm.release.v1.nova.v1', {owner: 'helm'}),
    secret('backup-of-a-record'),
  ]
  const {client, asked} = await scriptedServer((_, response) =>
    json(response, {metadata: {resourceVersion: '1'}, items}),
  )

  const {records, strays} = await listEveryRecord(client)

  expect(records.map(({release, revision, status}) => [release, revision, status])).toEqual([
    ['openstack/keystone', 1, 'superseded'],
    ['openstack/keystone', 2, 'deployed'],
  ])
  expect(strays).toEqual([
    'openstack/backup-of-a-record',
    'openstack/sh.helm.release.v1.glance.v1',
    'openstack/sh.helm.release.v1.nova.v1',
  ])
  expect(asked[0]?.query.has('labelSelector')).toBe(false)
})
