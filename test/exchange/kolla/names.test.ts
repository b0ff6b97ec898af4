import {join} from 'node:path'
import {expect, it} from 'vitest'
import {microservicesOf, releaseOf} from '../../../src/exchange/kolla/microservices.ts'
import {containersOf, readServiceCharts} from '../../../src/exchange/kolla/service-charts.ts'

const charts = await readServiceCharts(join(import.meta.dirname, '../../../charts'))
const containers = containersOf(charts)

/** An environment with these releases, of which some are one for each component. */
function environmentOf(names: readonly string[], split: readonly string[] = []) {
  const stated = {requires: [], without: [], components: true}
  return {
    sections: new Map(names.map((name) => [name, {}])),
    releases: new Map(split.map((name) => [name, stated])),
  }
}
const none = environmentOf([])

it.each([
  ['keystone', 'keystone'],
  ['nova_api', 'nova'],
  ['nova-control', 'nova'],
  ['nova-compute', 'nova'],
  ['nova-libvirt', 'libvirt'],
  ['nova-placement-deployment', 'placement'],
  ['neutron-l3-agent', 'ovn'],
  ['neutron_ovn_metadata_agent', 'neutron'],
  ['cinder-volume-ceph', 'cinder'],
  ['openvswitch-vswitchd-daemonset', 'openvswitch'],
  ['keystone-fernet-rotate-job', 'keystone'],
  ['placement_api', 'placement'],
  ['heat_api_cfn', 'heat'],
  ['ovn_northd', 'ovn'],
  ['octavia-api', 'octavia'],
  ['my-own', 'my-own'],
  ['nova-foo', 'nova-foo'],
])('%s is replaced by %s', (word, release) => {
  expect(releaseOf(word, {containers, environment: none})).toBe(release)
})

it("resolves every component of kk's charts by the name of kolla's container", () => {
  const wrong = [...containers].filter(
    ([container, chart]) => releaseOf(container, {containers, environment: none}) !== chart,
  )

  expect(containers.size).toBeGreaterThan(60)
  expect(wrong).toEqual([])
})

it('prefers a release of the environment with the same name', () => {
  const environment = environmentOf(['nova', 'nova-api', 'nova-cleanup'])

  expect(releaseOf('nova-api', {containers, environment})).toBe('nova-api')
  expect(releaseOf('nova_api', {containers, environment})).toBe('nova-api')
  expect(releaseOf('nova-api-deployment', {containers, environment})).toBe('nova-api')
  expect(releaseOf('nova-cleanup', {containers, environment})).toBe('nova-cleanup')
  expect(releaseOf('nova-conductor-statefulset', {containers, environment})).toBe('nova')
})

it.each([
  ['nova_conductor', 'nova-conductor'],
  ['nova-api-deployment', 'nova-api'],
  ['octavia-api', 'octavia-api'],
  ['nova-control', 'nova'],
  ['nova-api-manage-db-job', 'nova'],
])('with components as releases, %s is replaced by %s', (word, release) => {
  const environment = environmentOf(['nova', 'octavia'], ['nova', 'octavia'])

  expect(releaseOf(word, {containers, environment})).toBe(release)
})

it.each([
  ['nova-consoleauth-statefulset', 'Nova no longer has consoleauth'],
  ['haproxy', 'Kubernetes Services and an ingress replace it'],
  ['nova_ssh', 'it distributes keys between hosts, which no pod needs'],
])('rejects %s with the reason', (word, why) => {
  expect(() => releaseOf(word, {containers, environment: none})).toThrow(
    `there is nothing for ${word}: ${why}`,
  )
})

it.each([['nova-cleanup'], ['nova-delete-db-job'], ['nova-cell0-delete']])(
  'rejects %s, which only removes things, and hints at the equivalent command',
  (word) => {
    expect(() => releaseOf(word, {containers, environment: none})).toThrow(
      expect.objectContaining({
        message: `${word} removes what nova has created in other services`,
        hint: expect.stringContaining('kk remove nova --purge'),
      }),
    )
  },
)

it.each([
  ['nova-api', 'nova-api-deployment', 'nova-conductor-statefulset'],
  ['nova_api', 'nova-api-deployment', 'nova-conductor-statefulset'],
  ['nova-control', 'nova-conductor-statefulset', 'glance-api-svc'],
  ['placement_api', 'nova-placement-deployment', 'nova-api-svc'],
])('the microservices of %s include %s, but not %s', (word, one, other) => {
  const names = microservicesOf(word, containers).map(({name}) => name)

  expect(names).toContain(one)
  expect(names).not.toContain(other)
})
