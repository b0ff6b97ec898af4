import {describe, expect, it} from 'vitest'
import {readEnvironment} from '../../src/environment/read.ts'

const read = (text: string, file = 'all-in-one.yaml') => readEnvironment({file, text, directory: '/envs'})

const WHOLE = `kk:
  name: production
  namespace: cloud
  context: prod
  charts: [../charts, {repository: "https://charts.example.org", version: 1.x}, oci://r/c, {oci: oci://r/d}, built-in]
  features: ["2025.1", noble]
  releases:
    ingress-kube: {chart: ingress, namespace: kube-system, version: ^1.2, unavailable: 2}
    nova: {requires: [placement, {release: neutron, kind: applied}, infra/mariadb:applied], timeout: 1h20m}
    mariadb: {protected: true, without: [memcached], unavailable: 5%}
    glance:
global: {region: RegionOne}
mariadb:
base: &base {pod: {replicas: {api: 1}}}
keystone:
  <<: *base
  debug: yes
`

describe('an environment', () => {
  it('consists of settings and sections', () => {
    const environment = read(WHOLE)

    expect(environment).toMatchObject({
      name: 'production',
      file: 'all-in-one.yaml',
      directory: '/envs',
      namespace: 'cloud',
      context: 'prod',
      features: ['2025.1', 'noble'],
      global: {region: 'RegionOne'},
    })
    expect(environment.charts).toEqual([
      {kind: 'directory', path: '/charts'},
      {kind: 'repository', url: 'https://charts.example.org', version: '1.x'},
      {kind: 'oci', url: 'oci://r/c'},
      {kind: 'oci', url: 'oci://r/d'},
      {kind: 'built-in'},
    ])
    expect([...environment.sections]).toEqual([
      ['mariadb', {}],
      ['base', {pod: {replicas: {api: 1}}}],
      ['keystone', {pod: {replicas: {api: 1}}, debug: true}],
    ])
    expect(Object.fromEntries(environment.releases)).toEqual({
      'ingress-kube': {
        chart: 'ingress',
        namespace: 'kube-system',
        version: '^1.2',
        requires: [],
        without: [],
        unavailable: 2,
      },
      nova: {
        requires: [
          {release: 'placement', kind: 'ready', position: at(9, 23)},
          {release: 'neutron', kind: 'applied', position: at(9, 34)},
          {release: 'mariadb', namespace: 'infra', kind: 'applied', position: at(9, 69)},
        ],
        without: [],
        timeoutSeconds: 4800,
      },
      mariadb: {protected: true, requires: [], without: ['memcached'], unavailable: '5%'},
      glance: {requires: [], without: []},
    })
  })

  it('has defaults for missing keys', () => {
    expect(read('mariadb: {}\n')).toMatchObject({
      name: 'all-in-one',
      namespace: 'openstack',
      context: undefined,
      charts: [{kind: 'built-in'}],
      features: [],
      releases: new Map(),
      global: undefined,
    })
  })

  it('has the position of each key', () => {
    const {position} = read(WHOLE)

    expect(position(['mariadb'])).toEqual(at(13, 1))
    expect(position(['kk', 'charts', 2])).toEqual(at(5, 81))
    expect(position(['keystone', 'debug'])).toEqual(at(17, 3))
    expect(position(['keystone', 'pod', 'replicas'])).toEqual(at(14, 20))
    expect(position(['keystone', 'nothing'])).toBeUndefined()
  })

  it('shares values of aliases', () => {
    const {sections} = read('a: {x: &x {k: 1}}\nb: {z: *x}\n')

    expect(sections.get('a')?.x).toEqual({k: 1})
    expect(sections.get('a')?.x).toBe(sections.get('b')?.z)
  })

  it('needs a name by which it can own releases', () => {
    expect(() => read('mariadb: {}\n', 'my cloud.yaml')).toThrow(
      'is not a valid name of an environment: "my cloud"',
    )
    expect(() => read('mariadb: {}\n', '-')).toThrow('an environment on standard input needs a name')
    expect(read('kk: {name: piped}\n', '-').name).toBe('piped')
  })
})

it('readEnvironment reads infer, given and readiness', () => {
  const text = `kk:
  infer: false
  given: [Secret/tls, kube-system/Service/kube-dns]
  readiness:
    Cache.example.org: {path: .status.phase, value: Ready}
    Store.example.org: {path: '.status.conditions[?(@.type=="Synced")].status', value: ["True", "Yes"]}
  releases: {nova: {infer: true}}
`

  const {infer, given, readiness, releases} = read(text)

  expect({infer, given}).toEqual({infer: false, given: ['Secret/tls', 'kube-system/Service/kube-dns']})
  expect(readiness.get('Cache.example.org')).toEqual({path: '.status.phase', values: ['Ready']})
  expect(readiness.get('Store.example.org')!.values).toEqual(['True', 'Yes'])
  expect(releases.get('nova')!.infer).toBe(true)
})

it.each([
  'kk: {given: [tls]}',
  'kk: {readiness: {cache: {path: .status, value: x}}}',
  'kk: {readiness: {Cache.a.org: {path: status, value: x}}}',
  'kk: {readiness: {Cache.a.org: {path: .status}}}',
])('readEnvironment refuses an environment with %s', (text) => {
  expect(() => read(text)).toThrow(expect.objectContaining({code: 'KK_ENVIRONMENT'}))
})

describe('readEnvironment refuses an environment', () => {
  it.each([
    ['', ':1:1: expected a map of sections, got an empty file'],
    ['# nothing\n', ':1:1: expected a map of sections, got an empty file'],
    ['- mariadb\n', ':1:1: expected a map of sections, got a list'],
    ['a: {}\n---\nb: {}\n', ':3:1: expected one document, got a second one'],
    ['a: {}\nb: {}\na: {}\n', ':3:1: the key "a" is duplicate, first in line 1'],
    ['a: {yes: 1, true: 2}\n', ':1:13: the key "true" is duplicate, first in line 1'],
    ['a: {x: 1, <<: {x: 2}}\n', ':1:15: the key "x" is before << and in the merged map'],
    ['a: {time: 1:30}\n', ':1:11: YAML 1.1 reads this word as a number in base 60, Helm does not'],
    ['a: {at: 2001-12-14t21:59:43Z}\n', ':1:9: YAML 1.1 reads this word as a point in time'],
    ['a: {n: 0xFFFFFFFFFFFFFFFFFFFF}\n', ':1:8: YAML 1.1 reads this word as another number'],
    ['a: {x: .nan}\n', ':1:8: Helm does not accept .nan'],
    ['a: hello\n', ':1:1: a: expected a map of values, got a string'],
    ['"db\\nx": {}\n', ':1:1: "db\\nx": expected the name of a release'],
    ['a: [b]\n', ':1:1: a: expected a map of values, got a list'],
    ['global: 5\n', ':1:1: global: expected a map of values, got a number'],
    ['a: {global: 5}\n', ':1:5: a.global: expected a map of values, got a number'],
    ['8080: {}\n', ':1:1: expected the name of a release as key, got 8080, which is the int 8080'],
    ['y: {}\n', ':1:1: expected the name of a release as key, got y, which is the bool true'],
    ['../evil: {}\n', ':1:1: ../evil: expected the name of a release'],
    ['Nova: {}\n', ':1:1: Nova: expected the name of a release'],
    [`${'a'.repeat(54)}: {}\n`, 'expected the name of a release: at most 53'],
    ['kk: {name: "a b"}\n', ':1:6: kk.name: expected a name: at most 63 letters'],
    ['kk: {namespace: A}\n', ':1:6: kk.namespace: expected the name of a namespace'],
    [
      'kk: {features: [2025.1]}\n',
      ':1:17: kk.features.0: expected the name of a feature, got the number 2025.1',
    ],
    [
      'kk: {charts: [https://x]}\n',
      ':1:15: kk.charts.0: expected a path, an oci:// address or "built-in", got',
    ],
    [
      'kk: {charts: [{repository: x}]}\n',
      ':1:16: kk.charts.0.repository: expected an http:// or https:// address',
    ],
    ['kk: {charts: [{url: x}]}\n', ':1:15: kk.charts.0: expected a path, an oci:// address, "built-in"'],
    ['kk: {charts: [{oci: "oci://a", digest: b}]}\n', 'kk.charts.0.digest: expected a digest: sha256:'],
    ['kk: {releases: {nova: {timeout: 597h}}}\n', 'longer than 0s and at most 399h, got "597h"'],
    ['kk: {releases: {nova: {timeout: 0s}}}\n', 'longer than 0s and at most 399h, got "0s"'],
    ['kk: {releases: {nova: {unavailable: -1}}}\n', 'expected a number of pods, or a percentage such as 5%'],
    [
      'kk: {releases: {nova: {unavailable: 100%}}}\n',
      'expected a number of pods, or a percentage such as 5%',
    ],
    ['kk: {releases: {nova: {timeout: 20}}}\n', 'kk.releases.nova.timeout: expected a time such as 20m'],
    [
      'kk: {releases: {nova: {requires: [Foo]}}}\n',
      'expected name, name:applied or namespace/name, got "Foo"',
    ],
    ['kk: {releases: {nova: {requires: [{kind: ready}]}}}\n', 'expected the key "release", got only kind'],
    ['kk: {releases: {nova: {protected: maybe}}}\n', 'expected true or false, got the string "maybe"'],
    ['kk: {releases: [nova]}\n', 'kk.releases: expected a map of releases, got a list'],
  ])('for %j', (text, message) => {
    expect(() => read(text)).toThrow(message)
  })

  it.each([
    ['kk: {nmae: x}\n', 'did you mean "name"?'],
    ['kk: {releases: {nova: {requires: [{release: a, kind: aplied}]}}}\n', 'did you mean "applied"?'],
    ['kk: {features: [2025.1]}\n', 'write it in quotes'],
    ['a: {time: 1:30}\n', 'write it in quotes, or a number in plain decimal digits'],
    ['kk: {colour: blue}\n', 'remove it, or move it into a section'],
  ])('for %j with the hint %s', (text, hint) => {
    expect(() => read(text)).toThrow(expect.objectContaining({hint, exit: 2}))
  })

  it('with all its problems at once', () => {
    expect(() => read('kk:\n  nmae: x\n  features: noble\n')).toThrow(
      [
        'all-in-one.yaml:2:3: kk.nmae: expected one of the keys name, include, namespace, context, charts, features, infer, secrets, given, conf, readiness, releases, got "nmae" (did you mean "name"?)',
        'all-in-one.yaml:3:3: kk.features: expected a list of names of features, got the string "noble"',
      ].join('\n'),
    )
  })

  it('without showing values, which may be secrets', () => {
    expect(() => read('global: hunter2\nmariadb: hunter2\n')).not.toThrow(/hunter2/)
  })
})

function at(line: number, column: number) {
  return {file: 'all-in-one.yaml', line, column}
}
