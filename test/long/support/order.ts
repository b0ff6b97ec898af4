import {expect} from 'vitest'
import {leaseName} from '../../../src/kubernetes/lease/lease.ts'
import {usesLabel} from '../../../src/plan/labels.ts'
import {releaseId} from '../../../src/release.ts'
import {get} from '../../e2e/support/cluster.ts'
import {lastOf, type Observed} from './observed.ts'

export interface OrderOptions {
  readonly namespace: string
  /** All that may be there. */
  readonly releases: readonly string[]
  readonly before: Observed
  readonly after: Observed
  /** Whether anybody may have removed anything. */
  readonly mayRemove: boolean
  /** For the message. */
  readonly account: string
}

interface Named {
  readonly metadata: {readonly name: string}
  readonly data?: {readonly dependent?: string}
}

/** Expects what holds whenever nobody is at work, whatever was done before. */
export async function expectOrder(options: OrderOptions): Promise<void> {
  const {namespace, releases, before, after, mayRemove, account} = options
  const last = lastOf(after.records)
  const disorder = [
    ...after.records
      .filter(({status}) => /pending|uninstalling/.test(status))
      .map(({release, revision, status}) => `${release} is ${status} at revision ${revision}`),
    ...releases.flatMap((dependent) => orphaned(options, dependent)),
    ...[...last.keys()]
      .filter(
        (release) =>
          after.records.filter((record) => record.release === release && record.status === 'deployed')
            .length > 1,
      )
      .map((release) => `${release} is deployed in several revisions`),
    ...releases
      .filter((release) => last.has(release) !== `Deployment/${release}` in after.portrait.objects)
      .map(
        (release) =>
          `${release} has ${last.has(release) ? 'a record, but no' : 'no record, but a'} Deployment`,
      ),
    ...(mayRemove
      ? []
      : Object.entries(before.revisions)
          .filter(([release, revision]) => (after.revisions[release] ?? 0) < revision)
          .map(
            ([release, revision]) =>
              `${release} was at revision ${revision}, is at ${after.revisions[release]}`,
          )),
    ...(await leftBehind(namespace, releases)),
  ]
  expect(disorder, account).toEqual([])
}

/** A release without one that it says it uses. */
function orphaned({namespace, releases, after}: OrderOptions, dependent: string): string[] {
  const labels = lastOf(after.records).get(dependent)?.labels ?? {}
  const uses = Object.keys(labels).filter((label) => label.startsWith('uses.kk.openstack.org/'))
  return uses
    .filter((label) => {
      const required = releases.find((release) => usesLabel(releaseId(namespace, release)) === label)
      return required === undefined || after.revisions[required] === undefined
    })
    .map((label) => {
      const required = releases.find((release) => usesLabel(releaseId(namespace, release)) === label)
      return `${dependent} is there without ${required ?? label}`
    })
}

/** Leases that are held and reservations that stand, though nobody is at work. */
async function leftBehind(namespace: string, releases: readonly string[]): Promise<string[]> {
  const {items} = await get<{readonly items: readonly (Named & {readonly kind: string})[]}>(
    'leases,configmaps',
    '--namespace',
    'kk-system',
  )
  const held = releases.filter((release) =>
    items.some(({metadata}) => metadata.name === leaseName(releaseId(namespace, release))),
  )
  const reservations = items.filter(({data}) => data?.dependent?.startsWith(`${namespace}/`))
  return [
    ...held.map((release) => `the Lease of ${release} is still there`),
    ...reservations.map(({data}) => `a reservation of ${data?.dependent} is still there`),
  ]
}
