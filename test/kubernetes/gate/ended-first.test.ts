import {expect, test} from 'vitest'
import {endedFirst} from '../../../src/kubernetes/gate/evidence.ts'

const cause = (object: string, reason?: string) => ({
  object,
  message: 'is not ready',
  ...(reason && {reason}),
})

test('causes that have ended come before causes that may wait for them, in the same order otherwise', () => {
  const blames = [
    cause('Deployment/placement-api', 'PodInitializing'),
    cause('Job/placement-db-create', 'Error'),
    cause('Job/placement-db-sync', 'PodInitializing'),
    cause('Job/placement-register', 'CrashLoopBackOff'),
    cause('Service/placement-api'),
  ]

  expect(endedFirst(blames).map(({object}) => object)).toEqual([
    'Job/placement-db-create',
    'Job/placement-register',
    'Deployment/placement-api',
    'Job/placement-db-sync',
    'Service/placement-api',
  ])
})
