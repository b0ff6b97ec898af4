import {describe, expect, it} from 'vitest'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import {type Cleanup, cleanupsIn, splitCleanups} from '../../../src/plan/removal/cleanup.ts'
import type {ReleaseId} from '../../../src/release.ts'

const DATABASE = {kind: 'database', name: 'nova', at: 'mariadb'}
const USER = {kind: 'user', name: 'nova', at: 'keystone'}
const NOVA = {
  made: [USER, DATABASE],
  used: [
    {name: 'admin', at: 'keystone'},
    {name: 'openstack', at: 'rabbitmq'},
  ],
}

function cronJob(text: string): KubernetesObject {
  const annotations = {'kk.openstack.org/cleanup': text}
  return {apiVersion: 'batch/v1', kind: 'CronJob', metadata: {name: 'nova-cleanup', annotations}}
}

describe('the resources of a release in other services', () => {
  it('are those in the annotation of its CronJob', () => {
    const object = cronJob(JSON.stringify(NOVA))
    const other = {...object, metadata: {name: 'nova-archive'}}

    expect(cleanupsIn([other, object])).toEqual([{cronJob: object, ...NOVA}])
  })

  it.each([
    'no JSON',
    '[]',
    '{"made": {}}',
    '{"made": [{"kind": "database"}]}',
    '{"made": [], "used": ["nova"]}',
    'null',
  ])('are none if the annotation is %s', (text) => {
    const found = cleanupsIn([cronJob(text)])

    expect(found.flatMap(({made}) => made)).toEqual([])
  })
})

function observed(releases: Readonly<Record<ReleaseId, Omit<Cleanup, 'cronJob'> | undefined>>) {
  const each = (Object.keys(releases) as ReleaseId[]).map((release) => {
    const cleanup = releases[release]
    return [release, {release, cleanups: cleanup ? [{cronJob: cronJob(''), ...cleanup}] : []}] as const
  })
  return {observed: new Map(each)}
}

const NOTHING_LOST = {lost: () => undefined}

describe('a removal with --purge', () => {
  it('deletes what the release made, and leaves an account of another owner', () => {
    const uses = observed({'openstack/nova': NOVA, 'openstack/rabbitmq': undefined})

    const [split] = splitCleanups(uses, {releases: ['openstack/nova'], isWanted: true, ...NOTHING_LOST})

    expect(split).toMatchObject({
      release: 'openstack/nova',
      deleted: [USER, DATABASE],
      stays: [{kind: 'account', name: 'openstack', at: 'rabbitmq', why: 'the release did not make it'}],
    })
  })

  it.each([
    ['uses its account', {made: [], used: [{name: 'nova', at: 'keystone'}]}, USER],
    ['has the same database', {made: [DATABASE], used: []}, DATABASE],
  ])('leaves the resources of another release, which %s', (_, other, shared) => {
    const uses = observed({'openstack/nova': NOVA, 'openstack/neutron': other})

    const [split] = splitCleanups(uses, {releases: ['openstack/nova'], isWanted: true, ...NOTHING_LOST})

    expect(split!.deleted).toEqual([USER, DATABASE].filter((thing) => thing !== shared))
    expect(split!.stays).toContainEqual({...shared, why: 'neutron has it, too'})
  })

  it('deletes resources that only releases of the same removal share', () => {
    const uses = observed({'openstack/nova': NOVA, 'openstack/neutron': {made: [DATABASE], used: []}})
    const releases = ['openstack/nova', 'openstack/neutron'] as const

    const split = splitCleanups(uses, {releases, isWanted: true, ...NOTHING_LOST})

    expect(split.map(({deleted: goes}) => goes)).toEqual([[USER, DATABASE], [DATABASE]])
  })

  it('leaves a database of that name on another server to its release', () => {
    const uses = observed({'one/nova': NOVA, 'two/nova': {made: [{...DATABASE, at: 'other'}], used: []}})

    const [split] = splitCleanups(uses, {releases: ['one/nova'], isWanted: true, ...NOTHING_LOST})

    expect(split!.deleted).toEqual([USER, DATABASE])
  })

  it('reports why resources can no longer be deleted', () => {
    const uses = observed({'openstack/nova': NOVA})

    const [split] = splitCleanups(uses, {
      releases: ['openstack/nova'],
      isWanted: true,
      lost: () => 'its CronJob is gone',
    })

    expect(split!.deleted).toEqual([])
    expect(split!.stays).toContainEqual({...DATABASE, why: 'its CronJob is gone'})
  })
})

it('leaves all resources without --purge', () => {
  const uses = observed({'openstack/nova': NOVA})

  const [split] = splitCleanups(uses, {releases: ['openstack/nova'], isWanted: false, ...NOTHING_LOST})

  expect(split!.deleted).toEqual([])
  expect(split!.stays).toContainEqual({...DATABASE, why: 'it is deleted only with --purge'})
})
