import {describe, expect, it} from 'vitest'
import {releaseOnCluster} from '../../../src/verbs/observation/release-on-cluster.ts'
import {bareRecord, desiredOf, recordOf} from '../../plan/fixtures.ts'

describe('a release by its name on the cluster', () => {
  const ours = recordOf(desiredOf('keystone'))
  const theirs = bareRecord('other/keystone')
  const records = [ours, theirs]

  it('is the only one of that name', () => {
    expect(releaseOnCluster([theirs], 'keystone', undefined)).toBe(theirs)
  })

  it('is the one in the specified namespace', () => {
    expect(releaseOnCluster(records, 'other/keystone', 'all-in-one')).toBe(theirs)
  })

  it('is that of the environment when several namespaces have one', () => {
    expect(releaseOnCluster(records, 'keystone', 'all-in-one')).toBe(ours)
  })

  it('is refused if it is ambiguous, with the matches', () => {
    expect(() => releaseOnCluster(records, 'keystone', undefined)).toThrow(
      'several releases are called keystone: openstack/keystone, other/keystone',
    )
  })

  it('is refused if there is none, with a suggestion', () => {
    expect(() => releaseOnCluster(records, 'keystne', undefined)).toThrow(
      expect.objectContaining({code: 'KK_UNKNOWN_RELEASE', hint: 'did you mean keystone?'}),
    )
  })
})
