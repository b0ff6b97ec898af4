import {expect, it} from 'vitest'
import {readFacts} from '../../../src/overrides/facts/read-facts-file.ts'

const read = (text: string) => readFacts({file: 'facts.yaml', text})

it('a facts file may state every fact', () => {
  const facts = read(`
charts: {ingress: [kube-system, openstack], rabbitmq: }
controllers: 3
computes: 0
nodes: 3
cpus: 16
memory: 65536
zones: [a, b]
kubernetesVersion: v1.36.3
storageClasses: [fast]
defaultStorageClass: fast
storage: ceph
ceph: {monitors: ["10.0.0.1:6789"], user: cloud, replication: 3}
dnsDomain: cluster.local
publicDomain: cloud.example.org
ipFamily: ipv6
region: RegionOne
tls: true
allInOne: false
`)

  expect(facts).toMatchObject({
    charts: {ingress: ['kube-system', 'openstack'], rabbitmq: []},
    controllers: 3,
    ceph: {monitors: ['10.0.0.1:6789']},
    tls: true,
  })
})

it('an empty facts file states nothing', () => {
  expect(read('# nothing yet\n')).toEqual({})
})

it.each([
  ['controlers: 1', 'facts.yaml:1:1: controlers: expected one of the keys', 'did you mean "controllers"?'],
  [
    'controllers: 0',
    'facts.yaml:1:1: controllers: expected a whole number, at least 1, got the number 0',
    undefined,
  ],
  ['controllers: 1.5', 'expected a whole number, at least 1, got the number 1.5', undefined],
  ['controllers: "3"', 'expected a whole number, at least 1, got the string "3"', undefined],
  ['tls: "yes"', 'facts.yaml:1:1: tls: expected true or false', undefined],
  [
    'region: r\nstorage: cehp',
    'facts.yaml:2:1: storage: expected "ceph", "class" or "ephemeral"',
    'did you mean "ceph"?',
  ],
  ['kubernetesVersion: 1.30', 'expected a version such as v1.36.3, got the number 1.3', 'write it in quotes'],
  ['ceph: {user: u}', 'facts.yaml:1:1: ceph: expected the key "monitors"', 'add monitors:'],
  ['charts: {nova: openstack}', 'expected a list of namespaces', undefined],
  ['charts: [nova]', 'expected a map of charts', undefined],
])('%j is refused with its position', (text, message, hint) => {
  expect(() => read(text)).toThrow(
    expect.objectContaining({
      code: 'KK_FACTS',
      message: expect.stringContaining(message),
      ...(hint !== undefined && {hint}),
    }),
  )
})

it.each(['region: a\nregion: b', 'a: b\n---\nc: d', 'region: [', 'region: 1:30'])(
  '%j is refused as ambiguous YAML',
  (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({code: 'KK_YAML'}))
  },
)
