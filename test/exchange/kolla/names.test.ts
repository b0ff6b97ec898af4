import {expect, it} from 'vitest'
import {releaseOf} from '../../../src/exchange/kolla/microservices.ts'

it.each([
  ['keystone', 'keystone'],
  ['nova_api', 'nova'],
  ['nova-control', 'nova'],
  ['nova-compute', 'nova'],
  ['nova-libvirt', 'libvirt'],
  ['nova-placement-deployment', 'placement'],
  ['neutron-l3-agent', 'ovn'],
  ['cinder-volume-ceph', 'cinder'],
  ['openvswitch-vswitchd-daemonset', 'openvswitch'],
  ['my-own', 'my-own'],
  ['cloud.yaml', 'cloud.yaml'],
])('%s is the work of %s', (word, release) => {
  expect(releaseOf(word)).toBe(release)
})

it('what kk has nothing for is refused with the reason', () => {
  expect(() => releaseOf('nova-consoleauth-statefulset')).toThrow(
    'there is nothing for nova-consoleauth-statefulset: Nova has no consoleauth any more',
  )
})
