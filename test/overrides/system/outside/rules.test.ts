import {describe, expect, it} from 'vitest'
import type {Facts} from '../../../../src/overrides/facts/facts.ts'
import {rulePlugin} from '../../../../src/overrides/system/outside/rules.ts'

const plugin = (text: string) => rulePlugin({file: 'plugins/mine.yaml', text})
const overrides = (text: string, facts: Facts) => plugin(text).overrides(facts, 'openstack')

const MINE = `
chart: mine
namespaces: [mine, openstack]
reads: [controllers, region, zones, ceph, tls]
secrets: [{name: mine.key, kind: token, path: [conf, key]}]
rules:
  - values:
      pod: {replicas: {api: $(controllers)}}
      url: https://mine.$(region).example.org
      zones: $(zones)
      mon: $(ceph.monitors)
      shell: $$(hostname)
      command: $$(hostname -f) in $(region)
  - when: {controllers: {min: 3}, tls: true}
    values: {pod: {replicas: {worker: 2}}, quorum: true}
  - when: {region: {in: [north, south]}}
    values: {near: true}
  - when: {zones: {min: 2}}
    values: {spread: true}
  - when: {zones: a}
    values: {first: true}
`

const conditions = (when: string) =>
  `chart: mine\nreads: [controllers, storage, tls, zones, ceph, region]\nrules:\n  - when: {${when}}\n    values: {}`

describe('a condition', () => {
  it.each([
    [
      'controllers: "3"',
      '4:12: rules.0.when.controllers: expected a whole number, at least 1, got the string "3"',
    ],
    ['controllers: {in: [1, yes]}', 'rules.0.when.controllers.in.1: expected a whole number, at least 1'],
    ['storage: cephs', 'rules.0.when.storage: expected "ceph", "class" or "ephemeral", got "cephs"'],
    ['tls: "true"', 'rules.0.when.tls: expected true or false'],
    ['zones: 2', 'rules.0.when.zones: expected a text'],
    ['ceph: rbd', 'rules.0.when.ceph: expected a map with monitors'],
    ['region: {min: 2}', 'rules.0.when.region.min: expected min and max only of a number or a list'],
  ])('that can never be met is refused: %s', (when, message) => {
    expect(() => plugin(conditions(when))).toThrow(
      expect.objectContaining({code: 'KK_PLUGIN', message: expect.stringContaining(message)}),
    )
  })

  it.each(['controllers: 3', 'storage: {in: [ceph, class]}', 'zones: {min: 2, in: [a]}', 'region: north'])(
    'that may be met is taken: %s',
    (when) => {
      expect(plugin(conditions(when)).chart).toBe('mine')
    },
  )
})

describe('a rule file', () => {
  it('says what it is for', () => {
    expect(plugin(MINE)).toMatchObject({
      chart: 'mine',
      namespaces: ['mine', 'openstack'],
      reads: ['controllers', 'region', 'zones', 'ceph', 'tls'],
      secrets: [{name: 'mine.key', kind: 'token', path: ['conf', 'key']}],
      file: 'plugins/mine.yaml',
    })
  })

  it('makes values of all facts that are known, a number of a number', async () => {
    const facts: Facts = {
      controllers: 3,
      region: 'north',
      zones: ['a', 'b'],
      ceph: {monitors: ['h:1']},
      tls: true,
    }

    expect(await overrides(MINE, facts)).toEqual({
      pod: {replicas: {api: 3, worker: 2}},
      url: 'https://mine.north.example.org',
      zones: ['a', 'b'],
      mon: ['h:1'],
      shell: '$(hostname)',
      command: '$(hostname -f) in north',
      quorum: true,
      near: true,
      spread: true,
      first: true,
    })
  })

  it('leaves out what depends on facts that nobody knows', async () => {
    expect(await overrides(MINE, {})).toEqual({shell: '$(hostname)'})
    expect(await overrides(MINE, {controllers: 2, tls: true, region: 'west'})).toEqual({
      pod: {replicas: {api: 2}},
      url: 'https://mine.west.example.org',
      command: '$(hostname -f) in west',
      shell: '$(hostname)',
    })
  })

  it.each([
    ['chart: mine', 'plugins/mine.yaml:1:1: expected the key "rules"'],
    ['chart: mine\nrules: []\nread: []', 'plugins/mine.yaml:3:1: read: expected one of the keys'],
    [
      'chart: mine\nreads: [controlers]\nrules: []',
      'plugins/mine.yaml:2:9: reads.0: expected the name of a fact',
    ],
    [
      'chart: mine\nrules:\n  - when: {tls: true}\n    values: {}',
      'plugins/mine.yaml:3:12: the fact tls is used, but not among those that are read',
    ],
    [
      'chart: mine\nrules:\n  - values:\n      a: $(region)',
      'plugins/mine.yaml:4:7: the fact region is used, but not among those that are read',
    ],
    ['chart: mine\nrules: [{when: {tls: {least: 1}}, values: {}}]', 'expected one of the keys min, max, in'],
    [
      'chart: mine\nrules:\n  - values: {a: [{__proto__: {b: 1}}]}',
      'plugins/mine.yaml:3:19: rules.0.values.a.0.__proto__: the key __proto__ cannot be kept',
    ],
    [
      `chart: mine\nrules:\n  - values: ${'{a: '.repeat(66)}1${'}'.repeat(66)}`,
      'rules.0.values.a.a.a.a.a.a.a.a: expected at most 64 maps and lists within each other',
    ],
    [
      'chart: mine\nreads: [region]\nrules:\n  - values: {a: [x, "https://$(region"]}',
      'plugins/mine.yaml:4:21: rules.0.values.a.1: expected the name of a fact and ) after $(',
    ],
    ['chart: mine\nnamespaces: [Bad NS]\nrules: []', ':2:14: namespaces.0: expected the name of a namespace'],
    ['chart: mine\nnamespaces: []\nrules: []', 'namespaces: expected a list of at least one namespace'],
  ])('%j is refused with its place', (text, message) => {
    expect(() => plugin(text)).toThrow(
      expect.objectContaining({code: 'KK_PLUGIN', message: expect.stringContaining(message)}),
    )
  })
})
