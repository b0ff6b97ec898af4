import {expect, it} from 'vitest'
import type {Cause} from '../../src/kubernetes/gate/health.ts'
import {partOf} from '../../src/run/times.ts'

const job = (reason: string, detail?: string): Cause => ({
  object: 'Job/keystone-db-sync',
  message: '0 of 1 completions',
  reason,
  ...(detail !== undefined && {detail}),
})
const api = (reason: string, detail?: string): Cause => ({
  ...job(reason, detail),
  object: 'Deployment/keystone-api',
})

it.each<[string, 'helm' | 'gate', readonly Cause[]]>([
  ['helm', 'helm', [job('Error')]],
  ['containers', 'gate', [api('ContainerCreating')]],
  ['containers', 'gate', [api('PodInitializing')]],
  ['containers', 'gate', [api('ImagePullBackOff')]],
  ['pods', 'gate', [api('PodInitializing', 'init container is still running')]],
  ['pods', 'gate', [api('ContainersNotReady')]],
  ['pods', 'gate', []],
  ['jobs', 'gate', [api('ContainerCreating'), job('ContainersNotReady')]],
  ['containers', 'gate', [api('ContainersNotReady'), job('ContainerCreating')]],
])('partOf returns %s: %s, blaming %j', (part, phase, blames) => {
  const event = {
    type: 'release-progressed',
    at: 0,
    release: 'openstack/keystone',
    message: '',
    phase,
    blames,
  } as const

  expect(partOf(event)).toBe(part)
})
