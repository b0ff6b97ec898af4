import {describe, expect, it} from 'vitest'
import {
  judgeDeprecated,
  judgeForgotten,
  judgeMissing,
  usedKinds,
} from '../../src/doctor/cluster/api-versions.ts'
import {classless, judgeNamedClasses, judgeStorageClasses} from '../../src/doctor/cluster/storage-class.ts'
import type {KubernetesObject} from '../../src/kubernetes/manifest/kubernetes-object.ts'
import type {ReleaseId} from '../../src/release.ts'

const DB = 'openstack/db'
const claim = (spec: object) => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {name: 'data'},
  spec,
})
const set = (...templates: readonly object[]) => ({
  apiVersion: 'apps/v1',
  kind: 'StatefulSet',
  metadata: {name: 'db'},
  spec: {volumeClaimTemplates: templates.map((spec) => ({spec}))},
})
const rendered = (...objects: readonly KubernetesObject[]) =>
  new Map<ReleaseId, readonly KubernetesObject[]>([[DB, objects]])
const mark = (name: string, value: boolean) =>
  `kubectl annotate storageclass ${name} --overwrite storageclass.kubernetes.io/is-default-class=${value}`

describe('a default storage class', () => {
  it.each([
    ['a claim that names none', claim({}), [DB]],
    ['a claim whose class is null', claim({storageClassName: null}), [DB]],
    ['a claim that wants none', claim({storageClassName: ''}), []],
    ['a claim that names one', claim({storageClassName: 'fast'}), []],
    ['a set one of whose claims names none', set({storageClassName: 'fast'}, {}), [DB]],
    ['a set without claims', set(), []],
  ])('is required, or not required, by %s', (_, object, users) => {
    expect(classless(rendered(object))).toEqual(users)
  })

  it('that exists exactly once is fine', () => {
    const classes = [
      {name: 'slow', isDefault: false},
      {name: 'fast', isDefault: true},
    ]

    expect(judgeStorageClasses(classes, [DB], 'kubectl')).toEqual([])
  })

  it('that is missing is a problem only for releases with claims that need one', () => {
    const classes = [{name: 'fast', isDefault: false}]

    expect(judgeStorageClasses(classes, [DB], 'kubectl')).toMatchObject([
      {
        level: 'problem',
        what: expect.stringContaining('claims of db have no class'),
        advice: mark('fast', true),
      },
    ])
    expect(judgeStorageClasses(classes, [], 'kubectl')).toMatchObject([
      {level: 'info', advice: mark('fast', true)},
    ])
  })

  it('cannot be suggested if the cluster has no storage class', () => {
    expect(judgeStorageClasses([], [DB], 'kubectl')).toMatchObject([
      {level: 'problem', advice: 'install a volume provisioner with a storage class'},
    ])
  })

  it('does not replace a class that a claim names and that does not exist', () => {
    const objects = rendered(claim({storageClassName: 'slow'}), set({storageClassName: 'fast'}, {}))
    const brought = {apiVersion: 'storage.k8s.io/v1', kind: 'StorageClass', metadata: {name: 'slow'}}
    const classes = [{name: 'general', isDefault: true}]

    expect(judgeNamedClasses([...classes, {name: 'slow', isDefault: false}], objects)).toMatchObject([
      {
        level: 'warning',
        what: expect.stringContaining(
          'claims of db name the storage class fast, which does not exist (existing: general, slow)',
        ),
      },
    ])
    expect(judgeNamedClasses(classes, new Map([...objects, ['openstack/ceph', [brought]]]))).toHaveLength(1)
  })

  it('is the newest of several, and the advice removes the mark of the others', () => {
    const classes = ['new', 'old', 'older'].map((name) => ({name, isDefault: true}))

    expect(judgeStorageClasses(classes, [], 'kubectl')).toMatchObject([
      {
        level: 'warning',
        what: expect.stringContaining('get the newest, new'),
        advice: mark('old older', false),
      },
    ])
  })
})

describe('kinds of objects', () => {
  const used = {apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', releases: [DB]} as const

  it('are collected from all releases', () => {
    const objects = new Map<ReleaseId, readonly KubernetesObject[]>([
      [DB, [claim({}), claim({})]],
      ['openstack/api', [claim({})]],
    ])

    expect(usedKinds(objects)).toEqual([
      {apiVersion: 'v1', kind: 'PersistentVolumeClaim', releases: [DB, 'openstack/api']},
    ])
  })

  it('that are not served are a problem, with the replacement in Kubernetes or the CRDs to install', () => {
    const thing = {apiVersion: 'example.org/v1', kind: 'Thing', releases: [DB]} as const

    expect(judgeMissing([used, thing])).toMatchObject([
      {level: 'problem', advice: 'use policy/v1 in the chart: policy/v1beta1 was removed in Kubernetes 1.25'},
      {
        level: 'problem',
        advice: 'install the CRDs of Thing (example.org/v1), or disable it in the values of db',
      },
    ])
  })

  it('that are deprecated are a warning, and others are not reported', () => {
    const endpoints = {apiVersion: 'v1', kind: 'Endpoints', releases: [DB]} as const
    const service = {apiVersion: 'v1', kind: 'Service', releases: [DB]} as const

    expect(judgeDeprecated([endpoints, service])).toMatchObject([
      {level: 'warning', what: expect.stringContaining('Endpoints of v1, which db would install')},
    ])
  })

  it('of installed releases that the cluster no longer serves are a problem of each release', () => {
    expect(judgeForgotten([{...used, releases: [DB, 'openstack/api']}])).toMatchObject([
      {level: 'problem', advice: expect.stringMatching(/helm mapkubeapis db --namespace openstack$/)},
      {level: 'problem', advice: expect.stringMatching(/helm mapkubeapis api --namespace openstack$/)},
    ])
  })
})
