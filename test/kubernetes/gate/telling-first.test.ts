import {expect, test} from 'vitest'
import {tellingFirst} from '../../../src/kubernetes/gate/evidence.ts'

const cause = (object: string, reason?: string) => ({
  object,
  message: 'is not ready',
  ...(reason && {reason}),
})

test('what has ended comes before what may wait for it, and all else stays in its order', () => {
  const blames = [
    cause('Deployment/placement-api', 'PodInitializing'),
    cause('Job/placement-db-create', 'Error'),
    cause('Job/placement-db-sync', 'PodInitializing'),
    cause('Job/placement-register', 'CrashLoopBackOff'),
    cause('Service/placement-api'),
  ]

  expect(tellingFirst(blames).map(({object}) => object)).toEqual([
    'Job/placement-db-create',
    'Job/placement-register',
    'Deployment/placement-api',
    'Job/placement-db-sync',
    'Service/placement-api',
  ])
})
