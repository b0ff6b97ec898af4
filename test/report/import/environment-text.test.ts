import fc from 'fast-check'
import {expect, it} from 'vitest'
import type {Values} from '../../../src/base/values.ts'
import {readEnvironment} from '../../../src/environment/read.ts'
import {type ImportedRelease, skipInexpressible} from '../../../src/exchange/imported.ts'
import {environmentText, importDocument} from '../../../src/report/import/environment-text.ts'

/** Words that YAML reads as something else, or that break a rule of kk. */
const ODD = [
  ...['y', 'n', 'no', 'off', 'null', 'nan', '8080', '010', '0x10', '1e3', '1.5', '1-1', '2001-01-01', '1:30'],
  ...['kk', 'global', 'a.b', 'Upper', 'a_b', '-a', 'a-', 'a b', '', 'x'.repeat(54), '\u0085', '# a', 'é'],
]

const word = fc.oneof(fc.constantFrom('web', 'db', ...ODD), fc.string({unit: 'grapheme', maxLength: 4}))
const values = fc.dictionary(fc.oneof(fc.constant('global'), word), fc.oneof(word, fc.jsonValue()), {
  maxKeys: 4,
  noNullPrototype: true,
})
const release: fc.Arbitrary<ImportedRelease> = fc.record({
  name: word,
  namespace: word,
  chart: fc.record({name: word, version: word}, {requiredKeys: ['name']}),
  values: values as fc.Arbitrary<Values>,
  requires: fc.constant([]),
  notes: fc.array(word, {maxLength: 2}),
})

it('an imported environment contains only keys that kk reads, with the same values, for any names', () => {
  fc.assert(
    fc.property(fc.array(release, {maxLength: 6}), fc.array(word), (found, more) => {
      const {releases, lost} = skipInexpressible(found)

      const text = environmentText({
        name: 'x',
        from: 'x',
        charts: [],
        releases,
        lost: [...lost, ...more],
      })
      const {sections} = readEnvironment({file: 'cloud.yaml', text, directory: '/'})

      expect(releases.length + lost.length).toBe(found.length)
      const expected = releases.map((each) => [each.name, JSON.parse(JSON.stringify(each.values))])
      expect(Object.fromEntries(sections)).toEqual(Object.fromEntries(expected))
    }),
    {numRuns: 300},
  )
})

it('the document of an import lists releases, losses and the file', () => {
  const keystone = {
    name: 'keystone',
    namespace: 'openstack',
    chart: {name: 'identity', version: '1.2.3'},
    values: {a: 1},
    requires: ['mariadb'],
    notes: [],
  }
  const found = {name: 'lab', from: 'the helmfile', charts: [], releases: [keystone], lost: ['hooks']}

  expect(importDocument(found, {dryRun: false, file: 'lab.yaml'})).toEqual({
    environment: 'lab',
    from: 'the helmfile',
    dryRun: false,
    file: 'lab.yaml',
    releases: [{release: 'openstack/keystone', chart: 'identity', version: '1.2.3', requires: ['mariadb']}],
    lost: ['hooks'],
  })
})
