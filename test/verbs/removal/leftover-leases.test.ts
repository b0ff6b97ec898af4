import {expect, it} from 'vitest'
import type {LeaseView} from '../../../src/kubernetes/lease/view.ts'
import type {ReleaseId} from '../../../src/release.ts'
import {deleteLeftoverLeases} from '../../../src/verbs/removal/leftover-leases.ts'
import {id} from '../../graph/graph-of.ts'
import {leaseView} from '../../kubernetes/lease/lease-view.ts'
import {port} from '../../kubernetes/support/port.ts'
import {bareRecord} from '../../plan/fixtures.ts'
import {heldLease} from '../../run/execute/held-lease.ts'

interface Left {
  readonly environment?: string
  readonly kk?: 'gone' | 'running'
}

function leaseOf(name: string, {environment = 'all-in-one', kk = 'gone'}: Left = {}): LeaseView {
  const operation = {verb: 'remove', revision: 1, run: 'r1', deadline: 0, kk: {host: 'host', pid: 1}} as const
  return leaseView({
    release: id(name),
    holder: 'operator@host',
    operation: {...operation, environment},
    processes: {holder: kk, operation: {kk, helm: {state: 'gone'}}},
  })
}

it('Leases of removed releases with dead runs are deleted', async () => {
  const deleted: unknown[] = []
  const leases = [
    leaseOf('gone'),
    leaseOf('installed'),
    leaseOf('at-work', {kk: 'running'}),
    leaseOf('of-another', {environment: 'another'}),
  ]

  await deleteLeftoverLeases(
    {
      leases: port({
        list: async () => leases,
        hold: async (release: ReleaseId) =>
          heldLease({
            annotate: async (notes) => void deleted.push([release, notes]),
            release: async () => void deleted.push(release),
          }),
      }),
      records: port({
        last: async (release) => (release === id('installed') ? bareRecord(release) : undefined),
      }),
    },
    'all-in-one',
    'operator@host',
  )

  expect(deleted).toEqual([[id('gone'), {'kk.openstack.org/operation': null}], id('gone')])
})
