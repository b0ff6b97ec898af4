import {expect, it} from 'vitest'
import {readVersions} from '../../src/audit/versions.ts'
import {answeringPods, podOf} from './support/answering-pods.ts'

const scope = (...charts: readonly string[]) => ({
  releases: charts.map((chart) => ({namespace: 'openstack', name: chart, chart})),
})
const SCHEMA = {applied: ['b2'], known: 2, pending: [], unknown: []}

it('images are those of the running pods; two builds of one tag are two versions', async () => {
  const pods = [
    podOf('glance', 'api', {image: 'registry/glance-api:2', digest: 'sha256:aa'}),
    podOf('glance', 'api', {name: 'old', image: 'registry/glance-api:2', digest: 'sha256:bb', node: 'two'}),
    podOf('glance', 'api', {name: 'ended', image: 'registry/glance-api:1', isRunning: false}),
  ]
  const {ports} = answeringPods(pods, {'glance-api-0': () => ({glance: {schema: SCHEMA}})})

  const {parts} = await readVersions(ports, scope('glance'))

  expect(parts).toContainEqual({
    ...{kind: 'image', name: 'glance/api'},
    versions: [
      {version: 'registry/glance-api:2 (sha256:aa)', of: ['glance-api-0 on one']},
      {version: 'registry/glance-api:2 (sha256:bb)', of: ['old on two']},
    ],
  })
})

it('services report theirs in each cell, schemas have the migrations of their images', async () => {
  const old = {...SCHEMA, pending: ['c3']}
  const services = [
    {host: 'one', part: 'nova-compute', version: 70},
    {host: 'two', part: 'nova-compute', version: 66},
  ]
  const {ports, programs} = answeringPods([podOf('nova', 'conductor')], {
    'nova-conductor-0': () => ({
      api: {schema: SCHEMA, cells: {cell0: {services: [], schema: SCHEMA}, cell1: {services, schema: old}}},
    }),
  })

  const {parts, notAsked} = await readVersions(ports, scope('nova'))

  expect(parts.slice(1)).toEqual([
    {kind: 'schema', name: 'nova api', versions: [{version: 'b2', of: ['database']}]},
    {kind: 'schema', name: 'nova cell0', versions: [{version: 'b2', of: ['database']}]},
    {
      ...{kind: 'schema', name: 'nova cell1'},
      versions: [
        {version: 'b2', of: ['database']},
        {version: 'migrations that were not applied: c3', of: ['image']},
      ],
    },
    {
      ...{kind: 'service', name: 'nova-compute'},
      versions: [
        {version: '70', of: ['one']},
        {version: '66', of: ['two']},
      ],
    },
  ])
  expect(notAsked).toEqual([])
  // An audit reads whole tables of a large cloud; this does not.
  expect(programs[0]!.input).not.toContain('FROM instances')
})

it('an instance has the QEMU of its node, an older one, or another build of the same', async () => {
  const guest = (uuid: string, version: string | null, isCurrent: boolean) => ({
    uuid,
    name: '',
    version,
    isCurrent,
  })
  const {ports} = answeringPods([podOf('libvirt', 'libvirt')], {
    'libvirt-libvirt-0': () => ({
      version: '10.0.3',
      guests: [guest('a', '10.0.2', false), guest('b', null, true), guest('c', '10.0.3', false)],
    }),
  })

  const {parts} = await readVersions(ports, scope('libvirt'))

  expect(parts.at(-1)).toEqual({
    ...{kind: 'QEMU', name: 'libvirt'},
    versions: [
      {version: '10.0.3', of: ['one', 'b on one']},
      {version: '10.0.2', of: ['a on one']},
      {version: 'another build than 10.0.3', of: ['c on one']},
    ],
  })
})

it('northd and the feature flags of the bus are read, and what cannot be is named', async () => {
  const pods = [podOf('ovn', 'sb'), podOf('rabbitmq', 'server'), podOf('cinder', 'api')]
  const {ports} = answeringPods(pods, {
    'ovn-sb-0': () => ({tables: {SB_Global: [{options: {northd_internal_version: '25.03'}}]}}),
    'rabbitmq-server-0': () => ({enabled: 25, disabled: ['khepri_db']}),
    'cinder-api-0': () => ({code: 1, stderr: 'MySQLError: refused'}),
  })

  const {parts, notAsked} = await readVersions(ports, scope('ovn', 'rabbitmq', 'cinder'))

  expect(parts.slice(3)).toEqual([
    {kind: 'northd', name: 'ovn', versions: [{version: '25.03', of: ['southbound database']}]},
    {
      ...{kind: 'feature flags', name: 'rabbitmq'},
      versions: [
        {version: 'enabled', of: ['25 flags']},
        {version: 'not enabled', of: ['khepri_db']},
      ],
    },
  ])
  expect(notAsked).toEqual([{source: 'cinder', reason: 'pod cinder-api-0: MySQLError: refused'}])
})

it('a schema whose migrations are not in the image is not asked, rather than of one version', async () => {
  const schema = {...SCHEMA, known: null}
  const {ports} = answeringPods([podOf('glance', 'api')], {'glance-api-0': () => ({glance: {schema}})})

  const {notAsked} = await readVersions(ports, scope('glance'))

  expect(notAsked).toEqual([{source: 'migrations of glance', reason: 'they were not found in the image'}])
})
