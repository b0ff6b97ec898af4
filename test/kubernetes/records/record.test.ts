import {describe, expect, it} from 'vitest'
import {allRecords, lastRecords, readRecord} from '../../../src/kubernetes/records/record.ts'

const secret = (namespace: string, name: string, labels: Record<string, string> = {}) => ({
  metadata: {name, namespace, uid: 'u', resourceVersion: '5', labels},
})

describe('helm’s records', () => {
  it('have release, revision, status and labels in their metadata', () => {
    const labels = {
      owner: 'helm',
      name: 'my.db',
      status: 'deployed',
      version: '12',
      'kk.openstack.org/owner': 'a',
    }

    const record = readRecord(secret('openstack', 'sh.helm.release.v1.my.db.v12', labels))

    expect(record).toEqual({
      release: 'openstack/my.db',
      revision: 12,
      status: 'deployed',
      labels,
      secret: {name: 'sh.helm.release.v1.my.db.v12', uid: 'u', resourceVersion: '5'},
    })
  })

  it('are reduced to the last of each release by numeric order, sorted by id', () => {
    const names = ['b.v9', 'b.v10', 'a.v1'].map((name) => `sh.helm.release.v1.${name}`)

    const records = lastRecords([
      ...names.map((name) => secret('y', name)),
      secret('x', 'sh.helm.release.v1.b.v2'),
    ])

    expect(records.map(({release, revision}) => [release, revision])).toEqual([
      ['x/b', 2],
      ['y/a', 1],
      ['y/b', 10],
    ])
  })

  it('do not include a Secret of another name', () => {
    expect(lastRecords([secret('x', 'token')])).toEqual([])
  })

  it('are listed as all revisions in ascending order, of each release or of one', () => {
    const names = ['b.v9', 'b.v10', 'a.v1'].map((name) => `sh.helm.release.v1.${name}`)
    const secrets = names.map((name) => secret('openstack', name))
    const texts = (release?: 'openstack/b') =>
      allRecords(secrets, release).map(({release: id, revision}) => `${id} ${revision}`)

    expect(texts()).toEqual(['openstack/a 1', 'openstack/b 9', 'openstack/b 10'])
    expect(texts('openstack/b')).toEqual(['openstack/b 9', 'openstack/b 10'])
  })
})
