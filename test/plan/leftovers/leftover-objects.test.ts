import {describe, expect, it} from 'vitest'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import {leftoverObjects, type RevisionObjects} from '../../../src/plan/leftovers/leftover-objects.ts'

const object = (text: string, annotations?: Record<string, string>): KubernetesObject => {
  const [kind = '', name = '', apiVersion = 'v1'] = text.split(' ')
  return {apiVersion, kind, metadata: {name, ...(annotations && {annotations})}}
}

const revision = (
  number: number,
  status: string,
  objects: readonly (string | KubernetesObject)[],
): RevisionObjects => ({
  revision: number,
  status,
  objects: objects.map((each) => (typeof each === 'string' ? object(each) : each)),
  hooks: [],
})

const found = (...revisions: readonly RevisionObjects[]) =>
  leftoverObjects(revisions, 'openstack').map((each) => `${each.object.metadata.name} of ${each.revision}`)

describe('a leftover', () => {
  it('is an object that a failed revision had and the deployed one does not have', () => {
    expect(
      found(
        revision(1, 'superseded', ['ConfigMap a']),
        revision(2, 'failed', ['ConfigMap a', 'ConfigMap b']),
        revision(3, 'deployed', ['ConfigMap a']),
      ),
    ).toEqual(['b of 2'])
  })

  it('is no object that the deployed revision has as a hook or in another version of its group', () => {
    const hook = {...revision(2, 'deployed', ['Deployment api apps/v1']), hooks: [object('Job sync')]}

    expect(found(revision(1, 'failed', ['Deployment api apps/v1beta1', 'Job sync']), hook)).toEqual([])
  })

  it('is no object of a failed first install, with which the next upgrade compares', () => {
    expect(found(revision(1, 'failed', ['ConfigMap a']))).toEqual([])
  })

  it('is reported once, with the last revision that had it', () => {
    expect(
      found(
        revision(1, 'deployed', []),
        revision(2, 'failed', ['ConfigMap b']),
        revision(3, 'failed', ['ConfigMap b']),
      ),
    ).toEqual(['b of 3'])
  })

  it('is no object of a revision that is in progress', () => {
    expect(found(revision(1, 'deployed', []), revision(2, 'pending-upgrade', ['ConfigMap b']))).toEqual([])
  })

  it('is no object with a resource policy by which helm kept it', () => {
    const kept = object('ConfigMap kept', {'helm.sh/resource-policy': 'keep'})

    expect(found(revision(1, 'superseded', [kept]), revision(2, 'deployed', []))).toEqual([])
    expect(found(revision(1, 'deployed', []), revision(2, 'failed', [kept]))).toEqual(['kept of 2'])
  })
})
