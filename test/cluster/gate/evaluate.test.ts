import {describe, expect, it} from 'vitest'
import {allGatedObjects, collectionsOf, evaluate, gatedObjects} from '../../../src/cluster/gate/evaluate.ts'
import type {Observed} from '../../../src/cluster/gate/kinds/observed.ts'
import {observation} from '../../../src/cluster/gate/observation.ts'

const object = (apiVersion: string, kind: string, more: object = {}) => ({
  apiVersion,
  kind,
  metadata: {name: 'x'},
  ...more,
})

const job = object('batch/v1', 'Job')
const deployment = object('apps/v1', 'Deployment')

/** A cluster that holds these objects, all called `x`. */
function seeing(objects: Readonly<Record<string, object>>) {
  return observation(({kind}) => {
    const found = objects[kind] && ({metadata: {name: 'x'}, ...objects[kind]} as Observed)
    return {get: () => found, all: () => (found ? [found] : [])}
  })
}

const complete = {status: {conditions: [{type: 'Complete', status: 'True'}]}}
const failed = {status: {conditions: [{type: 'Failed', status: 'True', reason: 'DeadlineExceeded'}]}}
const available = {status: {replicas: 1, updatedReplicas: 1, availableReplicas: 1}}

describe('the health of a release', () => {
  it.each([
    ['all are healthy', {Job: complete, Deployment: available}, 'healthy'],
    ['one is waiting', {Job: complete, Deployment: {}}, 'waiting'],
    ['one has failed and another is waiting', {Job: failed, Deployment: {}}, 'failed'],
    ['one is not there', {Job: complete}, 'waiting'],
  ])('when %s', (_, objects, state) => {
    expect(evaluate(gatedObjects('ns', [job, deployment]), seeing(objects)).state).toBe(state)
  })

  it('names the failed object first', () => {
    const health = evaluate(gatedObjects('ns', [deployment, job]), seeing({Job: failed, Deployment: {}}))

    expect(health).toMatchObject({blames: [{object: 'Job/x'}, {object: 'Deployment/x'}]})
  })

  it('says of an object that is not there that it does not exist', () => {
    const health = evaluate(gatedObjects('ns', [deployment]), seeing({}))

    expect(health).toEqual({
      state: 'waiting',
      blames: [{object: 'Deployment/x', namespace: 'ns', message: 'it does not exist', reason: 'NotFound'}],
    })
  })

  it('takes a Job that the cluster deletes by itself after its end for done when it is gone', () => {
    const vanishing = object('batch/v1', 'Job', {spec: {ttlSecondsAfterFinished: 60}})

    expect(evaluate(gatedObjects('ns', [vanishing]), seeing({})).state).toBe('healthy')
  })

  it('passes over kinds without a notion of health, and kinds of the same name in other groups', () => {
    const objects = [
      object('v1', 'Service'),
      object('v1', 'PersistentVolumeClaim'),
      object('apps.example.org/v1', 'Deployment'),
    ]

    expect(gatedObjects('ns', objects)).toEqual([])
  })

  it('looks for an object in its own namespace before that of the release', () => {
    const elsewhere = {...deployment, metadata: {name: 'x', namespace: 'kube-system'}}

    expect(gatedObjects('ns', [elsewhere, deployment]).map(({namespace}) => namespace)).toEqual([
      'kube-system',
      'ns',
    ])
  })
})

describe('custom resources', () => {
  const resource = (namespaced: boolean) => ({
    apiVersion: 'a.org/v1',
    kind: 'Cache',
    plural: 'caches',
    namespaced,
  })
  const gated = (served: ReturnType<typeof resource> | undefined, object: object = {}, sees = true) =>
    allGatedObjects(
      {
        discovery: {find: async () => served},
        rules: new Map([['Ingress.networking.k8s.io', RULE]]),
        maySee: async () => sees,
        now: Date.now,
      },
      'ns',
      [{apiVersion: 'a.org/v1', kind: 'Cache', metadata: {name: 'one'}, ...object}],
    )
  const RULE = {path: '.status.phase', values: ['Ready']}

  it('are awaited by themselves, without pods and claims', async () => {
    const found = await gated(resource(true))

    expect(found).toMatchObject([{namespace: 'ns', name: 'one', resource: {plural: 'caches'}}])
    expect(collectionsOf(found).map((each) => each.resource.kind)).toEqual(['Cache'])
  })

  it('of the whole cluster have no namespace', async () => {
    expect(await gated(resource(false))).toMatchObject([{namespace: ''}])
  })

  it.each([
    ['whose kind is not served', undefined, {}],
    [
      'that are hooks',
      resource(true),
      {metadata: {name: 'one', annotations: {'helm.sh/hook': 'pre-install'}}},
    ],
    [
      'of a kind of Kubernetes without a rule',
      resource(true),
      {apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy'},
    ],
  ])('are passed over: those %s', async (_, served, object) => {
    expect(await gated(served, object)).toEqual([])
  })

  it('that the user may not see are passed over', async () => {
    expect(await gated(resource(true), {}, false)).toEqual([])
  })

  it('are not all that a rule can be for', async () => {
    const ingress = {apiVersion: 'networking.k8s.io/v1', kind: 'Ingress'}

    expect(await gated({...resource(true), ...ingress}, ingress)).toHaveLength(1)
  })
})
