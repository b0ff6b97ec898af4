import {describe, expect, it} from 'vitest'
import {releaseOnCluster} from '../../../src/verbs/observation/release-on-cluster.ts'
import {bareRecord, desiredOf, recordOf} from '../../plan/fixtures.ts'

describe('a release by its name, on the cluster alone', () => {
  const ours = recordOf(desiredOf('keystone'))
  const theirs = bareRecord('other/keystone')
  const records = [ours, theirs]

  it('is the only one of that name', () => {
    expect(releaseOnCluster([theirs], 'keystone', undefined)).toBe(theirs)
  })

  it('is the one in the namespace that is named', () => {
    expect(releaseOnCluster(records, 'other/keystone', 'all-in-one')).toBe(theirs)
  })

  it('is that of the environment when several namespaces have one', () => {
    expect(releaseOnCluster(records, 'keystone', 'all-in-one')).toBe(ours)
  })

  it('is refused when it could be several, with their names', () => {
    expect(() => releaseOnCluster(records, 'keystone', undefined)).toThrow(
      'several releases are called keystone: openstack/keystone, other/keystone',
    )
  })

  it('is refused when there is none, with what is near', () => {
    expect(() => releaseOnCluster(records, 'keystne', undefined)).toThrow(
      expect.objectContaining({code: 'KK_UNKNOWN_RELEASE', hint: 'did you mean keystone?'}),
    )
  })
})
