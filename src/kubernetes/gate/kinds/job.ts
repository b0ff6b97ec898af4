import type * as batch from 'kubernetes-types/batch/v1.js'
import type {Served} from '../../api/served.ts'
import {claimsOf, unboundClaims} from './claim.ts'
import {closedHealth, HEALTHY, type HealthOf, withNote} from './health.ts'
import {findCondition} from './observed.ts'
import {matchesSelector} from './selector.ts'

type Job = Served<batch.Job>

/**
 * Returns the health of a Job: it must be complete. A Job that has failed, or whose failure is decided
 * (`FailureTarget`), fails the gate at once. A Job that its chart suspends is partial.
 */
export const jobHealth: HealthOf<Job> = (job, namespaceObjects, {isSuspended}) => {
  if (isTrue(job, 'Complete')) return HEALTHY
  const pods = namespaceObjects.pods.filter((pod) => matchesSelector(job.spec?.selector, pod))
  const failed = [findCondition(job, 'Failed'), findCondition(job, 'FailureTarget')].find(
    (condition) => condition?.status === 'True',
  )
  if (failed) {
    const {reason = 'Failed', message} = failed
    return closedHealth('failed', job, {
      message: `it failed: ${reason}${message ? ` (${message})` : ''}`,
      pods,
      cause: {reason},
    })
  }
  if (isSuspended && job.spec?.suspend)
    return withNote('partial', job, {message: 'it is suspended, as its chart states', reason: 'JobSuspended'})
  return closedHealth('waiting', job, {
    message: progress(job),
    pods,
    claims: unboundClaims(job, claimsOf(job.spec?.template?.spec), namespaceObjects),
  })
}

function progress({spec, status = {}}: Job): string {
  if (spec?.suspend) return 'it is suspended'
  const {succeeded = 0, failed = 0} = status
  const done = `${succeeded} of ${spec?.completions ?? 1} completions`
  return failed > 0 ? `${done}, ${failed} pods have failed` : done
}

function isTrue(job: Job, type: string): boolean {
  return findCondition(job, type)?.status === 'True'
}
