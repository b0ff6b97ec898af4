import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import type {Approval, GuardParameters} from '../../../src/kubernetes/guard/guard.ts'
import {liveApprovals, parameterConfigMap, parametersIn} from '../../../src/kubernetes/guard/parameters.ts'
import {releaseId} from '../../../src/release.ts'

const STAMP = '2026-11-21T08:00:00.000Z'

const APPROVAL: Approval = {
  release: 'openstack/mariadb',
  expires: 1_795_253_842,
  by: 'operator@laptop',
  objects: [{kind: 'StatefulSet', namespace: 'openstack', name: 'mariadb-server', uid: 'b3a1'}],
}

const PARAMETERS: GuardParameters = {
  releases: ['openstack/mariadb'],
  claims: new Map([['openstack/data-mariadb-server', 'openstack/mariadb']]),
  approvals: [APPROVAL],
}

/** A namespace is a label of DNS, the name of a release may have dots. */
const release = fc
  .tuple(fc.stringMatching(/^[a-z0-9]{1,8}$/), fc.stringMatching(/^[a-z0-9]{1,4}(\.[a-z0-9]{1,4}){0,2}$/))
  .map(([namespace, name]) => releaseId(namespace, name))

describe('the parameters of the guard', () => {
  it('are stored under the keys that the policies look up', () => {
    const {data} = parameterConfigMap(PARAMETERS, STAMP)

    expect(data).toEqual({
      written: STAMP,
      'release.openstack.mariadb': 'protected',
      'claim.openstack.data-mariadb-server': 'mariadb',
      'approval.openstack.mariadb':
        '{"expires":1795253842,"by":"operator@laptop","objects":[{"kind":"StatefulSet","namespace":"openstack","name":"mariadb-server","uid":"b3a1"}]}',
    })
  })

  it('are read as they were written', () => {
    fc.assert(
      fc.property(fc.uniqueArray(release, {maxLength: 5}), (releases) => {
        const written: GuardParameters = {
          releases: releases.toSorted(),
          claims: new Map(),
          approvals: releases.toSorted().map((each) => ({...APPROVAL, release: each})),
        }

        expect(parametersIn(parameterConfigMap(written, STAMP))).toEqual(written)
      }),
    )
  })

  it('omit an approval that cannot be parsed', () => {
    const broken = {
      ...parameterConfigMap(PARAMETERS, STAMP),
      data: {'approval.openstack.mariadb': '{"expires":'},
    }

    expect(parametersIn(broken).approvals).toEqual([])
  })
})

it.each([
  ['before its end', -1, 1],
  ['at its end', 0, 0],
  ['after its end', 1, 0],
])('an approval is live or not: %s', (_, milliseconds, count) => {
  const now = APPROVAL.expires * 1000 + milliseconds

  expect(liveApprovals(PARAMETERS, now)).toHaveLength(count)
})
