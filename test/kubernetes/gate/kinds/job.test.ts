import {describe, expect, it} from 'vitest'
import {jobHealth} from '../../../../src/kubernetes/gate/kinds/job.ts'
import {around, claim, pod, STATED, workload} from '../../support/objects.ts'

const condition = (type: string, reason?: string, message?: string) => ({
  type,
  status: 'True',
  ...(reason && {reason}),
  ...(message && {message}),
})

describe('the health of a Job', () => {
  it('is healthy when it is complete', () => {
    const job = workload('Job', {status: {conditions: [condition('Complete')]}})

    expect(jobHealth(job, around(), STATED)).toEqual({state: 'healthy'})
  })

  it.each([
    ['0 of 1 completions', {}],
    ['1 of 3 completions', {spec: {completions: 3}, status: {succeeded: 1}}],
    ['0 of 1 completions, 2 pods have failed', {status: {failed: 2}}],
    ['it is suspended', {spec: {suspend: true}}],
  ])('is waiting with "%s"', (message, given) => {
    expect(jobHealth(workload('Job', given), around(), STATED)).toMatchObject({
      state: 'waiting',
      blames: [{message}],
    })
  })

  it('is partial while it is suspended, if its chart states so', () => {
    const job = workload('Job', {spec: {suspend: true}})

    expect(jobHealth(job, around(), {...STATED, isSuspended: true})).toMatchObject({
      state: 'partial',
      notes: [{message: 'it is suspended, as its chart states'}],
    })
  })

  it.each(['Failed', 'FailureTarget'])(
    'fails at once by the condition %s, and names the pod and how it ended',
    (type) => {
      const job = workload('Job', {
        status: {conditions: [condition(type, 'BackoffLimitExceeded', 'too many retries')]},
      })
      const terminated = {exitCode: 7, reason: 'Error', message: 'no such database\n'}
      const pods = [
        pod('sync-1', {phase: 'Failed', containerStatuses: [{name: 'sync', state: {terminated}}]}),
      ]

      expect(jobHealth(job, around(pods), STATED)).toEqual({
        state: 'failed',
        blames: [
          {
            object: 'Job/api',
            namespace: 'openstack',
            message: 'it failed: BackoffLimitExceeded (too many retries)',
            pod: 'sync-1',
            container: 'sync',
            reason: 'Error',
            detail: 'exited with 7: no such database',
          },
        ],
      })
    },
  )

  it('names a claim that it mounts and that is not bound', () => {
    const template = {spec: {volumes: [{persistentVolumeClaim: {claimName: 'backup'}}]}}

    const health = jobHealth(
      workload('Job', {spec: {template}}),
      around([], [claim('backup', 'Pending')]),
      STATED,
    )

    expect(health).toMatchObject({
      blames: [{object: 'Job/api'}, {object: 'PersistentVolumeClaim/backup', reason: 'Pending'}],
    })
  })
})
