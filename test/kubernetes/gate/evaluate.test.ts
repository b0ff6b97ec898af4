import {describe, expect, it} from 'vitest'
import {
  allGatedObjects,
  type Background,
  collectionsOf,
  evaluate,
  gatedObjects,
  type Observation,
  withoutScaledReplicas,
} from '../../../src/kubernetes/gate/evaluate.ts'
import {failureCauses} from '../../../src/kubernetes/gate/health.ts'
import type {Observed} from '../../../src/kubernetes/gate/kinds/observed.ts'
import {observation} from '../../../src/kubernetes/gate/observation.ts'

const object = (apiVersion: string, kind: string, more: object = {}) => ({
  apiVersion,
  kind,
  metadata: {name: 'x'},
  ...more,
})

const job = object('batch/v1', 'Job')
const deployment = object('apps/v1', 'Deployment')

/** A cluster that holds these objects, all called `x`; others have gone, and were like this. */
function seeing(
  objects: Readonly<Record<string, object>>,
  gone: Readonly<Record<string, object>> = {},
): Observation {
  const named = (object: object | undefined) => object && ({metadata: {name: 'x'}, ...object} as Observed)
  return observation(({kind}) => {
    const found = named(objects[kind])
    return {get: () => found, all: () => (found ? [found] : []), gone: () => named(gone[kind])}
  }, Date.now())
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

  it('reports an object that does not exist', () => {
    const health = evaluate(gatedObjects('ns', [deployment]), seeing({}))

    expect(health).toEqual({
      state: 'waiting',
      blames: [{object: 'Deployment/x', namespace: 'ns', message: 'it does not exist', reason: 'NotFound'}],
    })
  })

  describe('with a Job that is gone, which the cluster deletes when it has ended', () => {
    const vanishing = object('batch/v1', 'Job', {spec: {ttlSecondsAfterFinished: 60}})
    const healthOf = (seen: Observation, background?: Background) =>
      evaluate(gatedObjects('ns', [vanishing]), seen, background)

    it.each([
      ['is healthy if it was seen to complete', complete, 'healthy'],
      ['has failed if it was seen to fail', failed, 'failed'],
      ['is not known if it was deleted before it had ended', {status: {active: 1}}, 'unknown'],
    ])('%s', (_, gone, state) => {
      expect(healthOf(seeing({}, {Job: gone})).state).toBe(state)
    })

    it('is unknown if it was never observed', () => {
      expect(healthOf(seeing({}))).toEqual({
        state: 'unknown',
        blames: [
          {
            object: 'Job/x',
            namespace: 'ns',
            message: 'it is gone, and was not seen to complete',
            reason: 'NotSeenToComplete',
          },
        ],
      })
    })

    it('is waiting while its events may be late', () => {
      expect(healthOf(seeing({}), {eventsDeadline: 5})).toMatchObject({state: 'waiting', until: 5})
    })

    it('is healthy if its revision has passed its gate', () => {
      expect(healthOf(seeing({}), {hasPassed: true}).state).toBe('healthy')
    })
  })

  it('is partial with a partial object, and keeps all notes', () => {
    const suspended = object('batch/v1', 'Job', {spec: {suspend: true}})
    const gated = gatedObjects('ns', [suspended, object('apps/v1', 'DaemonSet')])

    const health = evaluate(gated, seeing({Job: {spec: {suspend: true}}, DaemonSet: {}}))

    expect(health).toMatchObject({state: 'partial', notes: [{object: 'Job/x'}, {object: 'DaemonSet/x'}]})
  })

  describe('with a workload that is scaled down', () => {
    const stateful = (spec: object) => gatedObjects('ns', [object('apps/v1', 'StatefulSet', {spec})])
    const scaledTo = (replicas: number) => seeing({StatefulSet: {spec: {replicas}}})
    const scaler = {kind: 'StatefulSet', name: 'x', fromZero: true}

    it.each([
      ['fails where the manifest states more', {replicas: 2}, 'failed'],
      ['fails where the manifest states none, which is one', {}, 'failed'],
      ['is healthy where the manifest states as many', {replicas: 0}, 'healthy'],
    ])('%s', (_, spec, state) => {
      expect(evaluate(stateful(spec), scaledTo(0)).state).toBe(state)
    })

    it('is healthy if an autoscaler has scaled it down', async () => {
      const seen = scaledTo(0)
      const expected = await withoutScaledReplicas(stateful({replicas: 2}), seen, {
        scaleTargets: async () => [scaler],
      })

      expect(evaluate(expected, seen).state).toBe('healthy')
    })

    it.each([
      ['fails at 0', {replicas: 3}, 0, 'from which its HorizontalPodAutoscaler does not scale it up'],
      ['fails at 0 though the manifest states none', {}, 0, 'from which its HorizontalPodAutoscaler'],
      ['is healthy at 1', {replicas: 3}, 1, undefined],
      ['is healthy at 0 where the manifest states that', {replicas: 0}, 0, undefined],
    ])('with an autoscaler that leaves 0 alone it %s', async (_, spec, replicas, message) => {
      const seen = scaledTo(replicas)
      const scaleTargets = async () => [{...scaler, fromZero: false}]
      const expected = await withoutScaledReplicas(stateful(spec), seen, {scaleTargets})

      const [blame] = failureCauses(evaluate(expected, seen))

      if (message === undefined) expect(blame?.reason).not.toBe('ScaledDown')
      else expect(blame).toMatchObject({reason: 'ScaledDown', message: expect.stringContaining(message)})
    })

    it.each([
      ['states', {replicas: 2}, 'it is scaled to 0, and its chart states 2'],
      ['does not state', {}, 'it is scaled to 0, and its chart states no number, which means 1'],
    ])('names the number that its chart %s', (_, spec, message) => {
      expect(failureCauses(evaluate(stateful(spec), scaledTo(0)))).toMatchObject([{message}])
    })

    it('lists autoscalers only then', async () => {
      const asked: string[] = []
      const scaleTargets = async (namespace: string) => {
        asked.push(namespace)
        return []
      }

      await withoutScaledReplicas(stateful({replicas: 2}), scaledTo(2), {scaleTargets})
      await withoutScaledReplicas(stateful({replicas: 2}), scaledTo(1), {scaleTargets})

      expect(asked).toEqual(['ns'])
    })
  })

  it('ignores kinds without a health, and kinds of the same name in other groups', () => {
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
        mayRead: async () => sees,
        scaleTargets: async () => [],
        now: Date.now,
      },
      'ns',
      [{apiVersion: 'a.org/v1', kind: 'Cache', metadata: {name: 'one'}, ...object}],
    )
  const RULE = {path: '.status.phase', values: ['Ready']}

  it('are awaited on their own, without pods and claims', async () => {
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
  ])('are skipped: those %s', async (_, served, object) => {
    expect(await gated(served, object)).toEqual([])
  })

  it('that the user may not read are ignored', async () => {
    expect(await gated(resource(true), {}, false)).toEqual([])
  })

  it.each([
    ['an APIService', 'apiregistration.k8s.io/v1', 'APIService', {}],
    ['a ReplicaSet', 'apps/v1', 'ReplicaSet', {}],
    ['a ReplicationController', 'v1', 'ReplicationController', {}],
    ['a Service with a load balancer', 'v1', 'Service', {spec: {type: 'LoadBalancer'}}],
  ])('are not the only awaited objects if they may be listed: %s', async (_, apiVersion, kind, more) => {
    const served = {...resource(true), apiVersion, kind}

    expect(await gated(served, {apiVersion, kind, ...more})).toMatchObject([{name: 'one', resource: {kind}}])
    expect(await gated(served, {apiVersion, kind, ...more}, false)).toEqual([])
  })

  it('share their rules with other kinds', async () => {
    const ingress = {apiVersion: 'networking.k8s.io/v1', kind: 'Ingress'}

    expect(await gated({...resource(true), ...ingress}, ingress)).toHaveLength(1)
  })
})
