import {describe, expect, it} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import type {Cluster} from '../../src/kubernetes/cluster.ts'
import type {Approval, GuardParameters, GuardState} from '../../src/kubernetes/guard/guard.ts'
import type {ReleaseRecord} from '../../src/kubernetes/records/release-record.ts'
import type {ReleaseId} from '../../src/release.ts'
import {planApproval, planGuard, unguarded} from '../../src/verbs/guard.ts'
import {checkGuard} from '../../src/verbs/removal/guarded.ts'
import {bareRecord} from '../plan/fixtures.ts'

const NOW = 1_795_000_000_000
const OBJECT = {kind: 'StatefulSet', namespace: 'openstack', name: 'mariadb-server', uid: 'b3a1'} as const

function record(release: ReleaseId, isProtected: boolean): ReleaseRecord {
  const labels = {'kk.openstack.org/owner': 'all-in-one', 'kk.openstack.org/protected': String(isProtected)}
  return {...bareRecord(release, 1), labels}
}

function stateOf(parameters: Partial<GuardParameters>): GuardState {
  const whole = {releases: [], claims: new Map(), approvals: [], ...parameters}
  return {parameters: whole, resourceVersion: '7', faults: [], enforced: true}
}

interface Setting {
  readonly supported?: boolean
  readonly records?: readonly ReleaseRecord[]
  readonly state?: GuardState
  /** Of the last revision of each release. */
  readonly manifest?: string
}

/** As much of a cluster as the guard asks. */
function clusterWith({supported = true, records = [], state, manifest = ''}: Setting): Cluster {
  const guard = {
    supported: async () => supported,
    read: async () => state,
    parameters: async () => state?.parameters,
    claims: async () => new Map([['openstack/data-mariadb-server', 'openstack/mariadb']]),
    objects: async () => [OBJECT],
  }
  const identity = async () => ({uid: 'c0ffee', version: 'v1.29.4'})
  return {
    context: 'test',
    server: 'https://test',
    apiServer: {identity},
    records: {list: async () => records, stored: async () => ({manifest})},
    guard,
  } as unknown as Cluster
}

describe('kk guard install', () => {
  it('guards protected releases of all environments and drops those no longer protected', async () => {
    const cluster = clusterWith({
      records: [record('openstack/keystone', false), record('openstack/mariadb', true)],
      state: stateOf({releases: ['openstack/old']}),
    })

    const plan = await planGuard(cluster, NOW)

    expect(plan.added).toEqual(['openstack/mariadb'])
    expect(plan.dropped).toEqual(['openstack/old'])
    expect(plan.parameters).toMatchObject({
      releases: ['openstack/mariadb'],
      claims: new Map([['openstack/data-mariadb-server', 'openstack/mariadb']]),
    })
  })

  it('works without permission to read the Secrets of records', async () => {
    const cluster = {
      ...clusterWith({records: [record('openstack/mariadb', true)]}),
      stored: () => Promise.reject(new KkError('KK_FORBIDDEN', 'may not get secrets')),
    }

    const {parameters} = await planGuard(cluster, NOW)

    expect(parameters.claims).toEqual(new Map([['openstack/data-mariadb-server', 'openstack/mariadb']]))
  })

  it('finds claims of a deleted StatefulSet in the last revision of its release', async () => {
    const set = {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: {name: 'rabbitmq-server'},
      spec: {volumeClaimTemplates: [{metadata: {name: 'data'}}]},
    }
    const cluster = clusterWith({
      records: [record('openstack/rabbitmq', true)],
      manifest: JSON.stringify(set),
    })

    const {parameters} = await planGuard(cluster, NOW)

    expect(parameters.claims).toEqual(new Map([['openstack/data-rabbitmq-server', 'openstack/rabbitmq']]))
  })

  it.each([
    ['an API server without the policies', {supported: false}, 'KK_NO_GUARD', 'Kubernetes 1.30'],
    ['a cluster where nothing is protected', {}, 'KK_NOT_INSTALLED', 'no protected release'],
  ])('is refused on %s', async (_, setting, code, text) => {
    const plan = planGuard(clusterWith(setting), NOW)

    await expect(plan).rejects.toMatchObject({code, message: expect.stringContaining(text)})
  })
})

describe('kk guard approve', () => {
  const RELEASES: readonly ReleaseId[] = ['openstack/mariadb', 'edge/mariadb', 'openstack/rabbitmq']
  const old = (release: ReleaseId, seconds: number): Approval => ({
    release,
    expires: NOW / 1000 + seconds,
    by: 'somebody',
    objects: [],
  })
  const request = {seconds: 900, namespace: false, by: 'operator@laptop', now: NOW}

  it('writes the current objects with an expiry and drops expired approvals', async () => {
    const approvals = [old('openstack/mariadb', 60), old('edge/mariadb', -60)]
    const cluster = clusterWith({state: stateOf({releases: RELEASES, approvals})})

    const plan = await planApproval(cluster, {...request, names: ['rabbitmq']})

    const added = {
      release: 'openstack/rabbitmq',
      expires: NOW / 1000 + 900,
      by: 'operator@laptop',
      objects: [OBJECT],
    }
    expect(plan).toMatchObject({approvals: [added], resourceVersion: '7'})
    expect(plan?.parameters.approvals).toEqual([approvals[0], added])
  })

  it.each([
    ['mariadb', 'mariadb is not one release', 'name it with its namespace'],
    ['rabitmq', 'the guard keeps no release rabitmq', 'did you mean rabbitmq?'],
  ])('of %s is refused', async (name, message, hint) => {
    const cluster = clusterWith({state: stateOf({releases: RELEASES})})

    const plan = planApproval(cluster, {...request, names: [name]})

    await expect(plan).rejects.toMatchObject({
      code: 'KK_UNKNOWN_RELEASE',
      message: expect.stringContaining(message),
      hint: expect.stringContaining(hint),
    })
  })

  it('does nothing without a guard', async () => {
    expect(await planApproval(clusterWith({}), {...request, names: ['mariadb']})).toBeUndefined()
  })
})

it('a deploy suggests the guard for protected releases that are not guarded', async () => {
  const cluster = clusterWith({state: stateOf({releases: ['openstack/mariadb']})})

  expect(await unguarded(cluster, ['openstack/mariadb', 'openstack/rabbitmq'])).toEqual([
    'openstack/rabbitmq',
  ])
  expect(await unguarded(clusterWith({}), [])).toEqual([])
})

describe('a removal', () => {
  const release = 'openstack/mariadb'
  const approval = (uid: string): Approval => ({
    release,
    expires: NOW / 1000 + 60,
    by: 'ada',
    objects: [{...OBJECT, uid}],
  })
  const letGo = (approvals: readonly Approval[], releases: readonly ReleaseId[] = [release]) =>
    checkGuard(clusterWith({state: stateOf({releases: [release], approvals})}).guard, releases, NOW)

  it('continues if the guard has approved the current objects, or does not guard the release', async () => {
    await expect(letGo([approval(OBJECT.uid)])).resolves.toBeUndefined()
    await expect(letGo([], ['openstack/keystone'])).resolves.toBeUndefined()
  })

  it.each<[string, readonly Approval[]]>([
    ['without an approval', []],
    ['with an approval of former objects', [approval('made-anew')]],
    ['with an expired approval', [{...approval(OBJECT.uid), expires: NOW / 1000 - 1}]],
  ])('is refused %s before anything is deleted', async (_, approvals) => {
    await expect(letGo(approvals)).rejects.toMatchObject({
      code: 'KK_UNCONFIRMED',
      hint: expect.stringContaining('kk guard approve openstack/mariadb'),
    })
  })
})
