import {describe, expect, it} from 'vitest'
import {deploymentHealth} from '../../../../src/kubernetes/gate/kinds/deployment.ts'
import {around, claim, pod, READY_POD, STATED, waitingFor, workload} from '../../support/objects.ts'

const done = {replicas: 3, updatedReplicas: 3, availableReplicas: 3}
const timedOut = {type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded'}

describe('the health of a Deployment', () => {
  it.each([
    ['all replicas are of the new template and available', {spec: {replicas: 3}, status: done}],
    ['it is scaled to none', {spec: {replicas: 0}, status: {}}],
    [
      'replicas are left to the default of one',
      {spec: {}, status: {replicas: 1, updatedReplicas: 1, availableReplicas: 1}},
    ],
  ])('is healthy when %s', (_, given) => {
    const health = deploymentHealth(workload('Deployment', given), around(), STATED)

    expect(health).toEqual({state: 'healthy'})
  })

  it.each([
    ['its controller has not seen the change yet', {spec: {replicas: 3}, status: done, observed: 1}],
    ['1 of 3 replicas are updated', {spec: {replicas: 3}, status: {...done, updatedReplicas: 1}}],
    [
      '1 of 3 replicas are updated, and it is paused',
      {spec: {replicas: 3, paused: true}, status: {...done, updatedReplicas: 1}},
    ],
    ['1 old replica has not ended', {spec: {replicas: 3}, status: {...done, replicas: 4}}],
    ['2 old replicas have not ended', {spec: {replicas: 3}, status: {...done, replicas: 5}}],
    ['2 of 3 replicas are available', {spec: {replicas: 3}, status: {...done, availableReplicas: 2}}],
  ])('is waiting while %s', (message, given) => {
    const health = deploymentHealth(workload('Deployment', given), around(), STATED)

    expect(health).toEqual({
      state: 'waiting',
      blames: [{object: 'Deployment/api', namespace: 'openstack', message}],
    })
  })

  it('fails at once when the progress deadline is exceeded, and names the pod', () => {
    const deployment = workload('Deployment', {
      spec: {replicas: 1},
      status: {replicas: 1, updatedReplicas: 1, conditions: [timedOut]},
    })
    const pods = [pod('api-1', waitingFor('ImagePullBackOff', 'Back-off pulling image "nope"'))]

    const health = deploymentHealth(deployment, around(pods), STATED)

    expect(health).toEqual({
      state: 'failed',
      blames: [
        {
          object: 'Deployment/api',
          namespace: 'openstack',
          message: 'its progress deadline was exceeded: 0 of 1 replicas are available',
          pod: 'api-1',
          container: 'api',
          reason: 'ImagePullBackOff',
          detail: 'Back-off pulling image "nope"',
        },
      ],
    })
  })

  it.each([
    ['to none', 0, 1],
    ['to fewer than its chart states', 2, 3],
  ])('fails when it is scaled %s', (_, replicas, least) => {
    const status = {replicas, updatedReplicas: replicas, availableReplicas: replicas}
    const deployment = workload('Deployment', {spec: {replicas}, status})

    expect(deploymentHealth(deployment, around(), {...STATED, replicas: least})).toMatchObject({
      state: 'failed',
      blames: [{message: `it is scaled to ${replicas}, and its chart states ${least}`, reason: 'ScaledDown'}],
    })
  })

  describe('that its chart has paused', () => {
    const stated = {...STATED, isPaused: true}
    const template = {spec: {volumes: [{persistentVolumeClaim: {claimName: 'images'}}]}}
    const healthWith = (status: object, spec: object = {paused: true}) =>
      deploymentHealth(
        workload('Deployment', {spec: {replicas: 3, template, ...spec}, status}),
        around(),
        stated,
      )

    it('is partial without a pod, and no claim of it is awaited', () => {
      expect(healthWith({})).toMatchObject({
        state: 'partial',
        notes: [{message: 'it is paused, as its chart states: 0 of 3 replicas are of its current version'}],
      })
    })

    it('is waiting while its present pods are not available', () => {
      const health = healthWith({replicas: 3, availableReplicas: 2})

      expect(health).toMatchObject({
        state: 'waiting',
        blames: [{message: '2 of 3 replicas are available'}, {}],
      })
    })

    it('is rolled out after it is resumed by hand', () => {
      const health = healthWith({replicas: 3, availableReplicas: 3}, {paused: false})

      expect(health).toMatchObject({blames: [{message: '0 of 3 replicas are updated'}, {}]})
    })
  })

  it('ignores the exceeded deadline of an earlier generation', () => {
    const deployment = workload('Deployment', {status: {conditions: [timedOut]}, observed: 1})

    expect(deploymentHealth(deployment, around(), STATED).state).toBe('waiting')
  })

  it('names the pods of the newest template, because the others are being replaced', () => {
    const deployment = workload('Deployment', {
      spec: {replicas: 2},
      status: {replicas: 2, updatedReplicas: 1},
    })
    const pods = [
      pod('api-old', waitingFor('CrashLoopBackOff'), {hash: 'a', created: '2026-01-01T00:00:00Z'}),
      pod('api-new', waitingFor('ContainerCreating'), {hash: 'b', created: '2026-02-01T00:00:00Z'}),
    ]

    expect(deploymentHealth(deployment, around(pods), STATED)).toMatchObject({
      blames: [{pod: 'api-new', reason: 'ContainerCreating'}],
    })
  })

  it('reports why no pod can be created', () => {
    const conditions = [
      {type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'exceeded quota: pods'},
    ]
    const deployment = workload('Deployment', {spec: {replicas: 1}, status: {conditions}})

    expect(deploymentHealth(deployment, around(), STATED)).toMatchObject({
      blames: [{reason: 'FailedCreate', detail: 'exceeded quota: pods'}],
    })
  })

  it('names a claim that its pods mount and that is not bound, even if the replicas count as available', () => {
    const template = {spec: {volumes: [{persistentVolumeClaim: {claimName: 'images'}}]}}
    const deployment = workload('Deployment', {spec: {replicas: 3, template}, status: done})

    const health = deploymentHealth(
      deployment,
      around([pod('api-1', READY_POD)], [claim('images', 'Pending', 'slow')]),
      STATED,
    )

    expect(health).toEqual({
      state: 'waiting',
      blames: [
        {
          object: 'PersistentVolumeClaim/images',
          namespace: 'openstack',
          message: 'Deployment/api mounts it, and it is Pending (storage class "slow")',
          reason: 'Pending',
        },
      ],
    })
  })
})

describe('a Deployment of which the environment lets pods be unavailable', () => {
  const healthOf = (available: number, more: object = {}) => {
    const status = {...done, availableReplicas: available, ...more}
    const given = workload('Deployment', {spec: {replicas: 3}, status})
    return deploymentHealth(given, around(), {...STATED, unavailable: 2})
  }

  it.each([
    ['its rollout is in time', {}],
    ['its progress deadline was exceeded', {conditions: [timedOut]}],
  ])('is partial with as many when %s', (_, more) => {
    expect(healthOf(1, more)).toMatchObject({
      state: 'partial',
      notes: [
        {message: '1 of 3 replicas are available, which the environment allows', reason: 'Unavailable'},
      ],
    })
  })

  it('is healthy if all are available', () => {
    expect(healthOf(3)).toEqual({state: 'healthy'})
  })

  it.each([
    ['none is available', 0, {}],
    ['an old replica remains', 3, {replicas: 4}],
  ])('waits while %s', (_, available, more) => {
    expect(healthOf(available, more).state).toBe('waiting')
  })
})
