import {expect, test} from 'vitest'
import {tellingFirst} from '../../../../src/cluster/gate/evidence/evidence.ts'

const blame = (object: string, reason?: string) => ({
  object,
  message: 'is not ready',
  ...(reason && {reason}),
})

test('what has ended comes before what may wait for it, and all else stays in its order', () => {
  const blames = [
    blame('Deployment/placement-api', 'PodInitializing'),
    blame('Job/placement-db-create', 'Error'),
    blame('Job/placement-db-sync', 'PodInitializing'),
    blame('Job/placement-register', 'CrashLoopBackOff'),
    blame('Service/placement-api'),
  ]

  expect(tellingFirst(blames).map(({object}) => object)).toEqual([
    'Job/placement-db-create',
    'Job/placement-register',
    'Deployment/placement-api',
    'Job/placement-db-sync',
    'Service/placement-api',
  ])
})
