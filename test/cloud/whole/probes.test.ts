import {beforeAll} from 'vitest'
import {cloudUp} from '../support/cloud.ts'
import {testStoppedWorkers} from '../support/stopped-workers.ts'

beforeAll(cloudUp)

testStoppedWorkers({
  cinder: ['scheduler', 'volume', 'backup'],
  heat: ['engine'],
  neutron: ['rpc-server', 'periodic-workers', 'ovn-maintenance-worker', 'ovn-metadata-agent'],
  nova: ['conductor', 'scheduler', 'compute'],
})
