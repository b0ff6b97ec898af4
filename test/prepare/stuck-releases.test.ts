import {describe, expect, it} from 'vitest'
import type {Cluster} from '../../src/kubernetes/cluster.ts'
import type {KubernetesObject} from '../../src/kubernetes/manifest/kubernetes-object.ts'
import type {StoredRelease} from '../../src/kubernetes/records/release-record.ts'
import type {Action, Plan} from '../../src/plan/plan.ts'
import type {Prepared} from '../../src/prepare/prepare.ts'
import {stuckReleases} from '../../src/prepare/stuck-releases.ts'
import {desiredOf, recordOf} from '../plan/fixtures.ts'

const record = recordOf(desiredOf('keystone'))
const {release} = record

const job = (
  name: string,
  annotations: Readonly<Record<string, string>> = {},
  spec = {},
): KubernetesObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {name, annotations},
  spec,
})
const POST = {'helm.sh/hook': 'post-install,post-upgrade'}

interface Given {
  readonly kind?: 'await' | 'check'
  readonly manifest?: KubernetesObject
  readonly hook?: KubernetesObject
  readonly applyMethod?: string
  readonly isInstall?: boolean
  /** The names of the objects that exist. */
  readonly present?: readonly string[]
  /** The names of the Jobs that have failed. */
  readonly failed?: readonly string[]
}

/** The reason why helm is run again for a release that something changed requires; undefined if it is not. */
async function reasonFor(given: Given) {
  return (await wayOf(given))?.reasons.join()
}

async function wayOf({kind = 'await', present = [], failed = [], ...given}: Given) {
  const {manifest, hook, applyMethod, isInstall = false} = given
  const stored: StoredRelease = {
    ...record,
    manifest: manifest ? JSON.stringify(manifest) : '',
    hooks: hook ? [JSON.stringify(hook)] : [],
    values: {},
    chart: {name: 'keystone', version: '0.1.0', appVersion: ''},
    applyMethod,
    isInstall,
  }
  const names = (objects: readonly KubernetesObject[]) => objects.map(({metadata}) => metadata.name)
  const cluster = {
    records: {stored: async () => stored},
    health: {
      failedJobs: async (_: string, objects: readonly KubernetesObject[]) =>
        names(objects).filter((name) => failed.includes(name)),
    },
    live: {
      exist: async (_: string, objects: readonly KubernetesObject[]) =>
        names(objects).every((name) => present.includes(name)),
      present: async (_: string, objects: readonly KubernetesObject[]) =>
        objects.filter(({metadata}) => present.includes(metadata.name)).map((object) => ({object})),
    },
  } as unknown as Cluster
  const dependent = {release: 'openstack/glance', kind: 'upgrade', requires: [{release, kind: 'ready'}]}
  const actions = [{release, kind, requires: []}, dependent] as unknown as readonly Action[]
  const prepared = {releases: new Map([[release, {layers: []}]])} as unknown as Prepared
  const {stuck} = await stuckReleases({actions} as unknown as Plan, prepared, {cluster, passed: new Set()})
  return stuck.get(release)
}

describe('a release whose gate is awaited', () => {
  const vanishing = job('sync', {}, {ttlSecondsAfterFinished: 60})

  it('is upgraded again if a Job is gone that was not seen to complete', async () => {
    expect(await reasonFor({manifest: vanishing})).toBe('objects of it are gone, and are made again')
    expect(await reasonFor({manifest: vanishing, present: ['sync']})).toBeUndefined()
  })

  it('is upgraded again with helm 3 if a hook is gone, because helm 3 takes a deletion for its completion', async () => {
    const reason = 'hooks of it are gone that were not seen to complete, and are run again'

    expect(await reasonFor({hook: job('hook', POST)})).toBe(reason)
    expect(await reasonFor({hook: job('hook', POST), present: ['hook']})).toBeUndefined()
    expect(await reasonFor({hook: job('hook', POST), present: ['hook'], failed: ['hook']})).toBe(
      'failed, and is run again: Job/hook',
    )
  })

  it.each<[string, Given]>([
    ['is gone', {}],
    ['has failed', {present: ['hook'], failed: ['hook']}],
  ])('is installed again if an install-only hook %s', async (_, given) => {
    const hook = job('hook', {'helm.sh/hook': 'post-install'})

    expect(await wayOf({hook, isInstall: true, ...given})).toEqual({
      kind: 'install',
      reasons: [expect.stringContaining('(Job/hook), and an upgrade does not run them')],
      recovers: 'deployed',
    })
  })

  it.each<[string, Given]>([
    ['helm 4 has waited for it', {hook: job('hook', POST), applyMethod: 'ssa'}],
    [
      'helm deletes it after completion',
      {hook: job('hook', {...POST, 'helm.sh/hook-delete-policy': 'hook-succeeded'})},
    ],
    ['the cluster deletes it after completion', {hook: job('hook', POST, {ttlSecondsAfterFinished: 0})}],
    ['it is for another event', {hook: job('hook', {'helm.sh/hook': 'pre-delete'})}],
  ])('is awaited despite a missing hook if %s', async (_, given) => {
    expect(await reasonFor(given)).toBeUndefined()
  })
})

it('a release that is only checked is not upgraded because of a Job that the cluster has deleted', async () => {
  const vanishing = job('sync', {}, {ttlSecondsAfterFinished: 60})

  expect(await reasonFor({kind: 'check', manifest: vanishing})).toBeUndefined()
  expect(await reasonFor({kind: 'check', manifest: job('sync')})).toBe(
    'objects of it are gone, and are made again',
  )
})
