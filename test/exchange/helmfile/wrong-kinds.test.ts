import {describe, expect, it} from 'vitest'
import {importHelmfile} from '../../../src/exchange/helmfile/read.ts'

const HELMFILE = {
  namespace: 'front',
  kubeContext: 'lab',
  helmDefaults: {timeout: 300, kubeContext: 'lab'},
  repositories: [{name: 'shop', url: 'https://charts.example.org', oci: false}],
  releases: [
    {
      name: 'web',
      namespace: 'front',
      chart: 'shop/web',
      version: '1.2.3',
      installed: true,
      condition: 'web.enabled',
      needs: ['db'],
      timeout: 60,
      values: [{size: 1}],
      set: [{name: 'a', value: 1, values: [1], file: 'a.txt'}],
      setString: [{name: 'b', value: 1, values: [1]}],
    },
  ],
}

const KINDS = {
  text: 'some',
  integer: 7,
  fraction: 1.5,
  boolean: true,
  map: {values: []},
  list: [[1]],
  null: null,
}
type Kind = keyof typeof KINDS

const TEXT: readonly Kind[] = ['text', 'null']
const SWITCH: readonly Kind[] = ['boolean', 'null']
const SECONDS: readonly Kind[] = ['integer', 'null']
const SCALAR: readonly Kind[] = ['text', 'integer', 'fraction', 'boolean', 'null']

/** Each place that kk reads, with the kinds that may stand there. */
const PLACES: readonly (readonly [string, readonly Kind[]])[] = [
  ['', ['map', 'null']],
  ['namespace', TEXT],
  ['kubeContext', TEXT],
  ['helmDefaults', ['map', 'null']],
  ['helmDefaults.timeout', SECONDS],
  ['helmDefaults.kubeContext', TEXT],
  ['repositories', ['null']],
  ['repositories.0', ['map']],
  ['repositories.0.name', TEXT],
  ['repositories.0.url', TEXT],
  ['repositories.0.oci', SWITCH],
  ['releases', ['null']],
  ['releases.0', []],
  ['releases.0.name', ['text']],
  ['releases.0.namespace', TEXT],
  ['releases.0.chart', TEXT],
  ['releases.0.version', TEXT],
  ['releases.0.installed', SWITCH],
  ['releases.0.condition', TEXT],
  ['releases.0.needs', ['null']],
  ['releases.0.needs.0', ['text']],
  ['releases.0.timeout', SECONDS],
  ['releases.0.values', ['null']],
  ['releases.0.values.0', ['text', 'map', 'null']],
  ...['set', 'setString'].flatMap((key): [string, readonly Kind[]][] => [
    [`releases.0.${key}`, ['null']],
    [`releases.0.${key}.0`, []],
    [`releases.0.${key}.0.name`, ['text']],
    [`releases.0.${key}.0.value`, SCALAR],
    [`releases.0.${key}.0.values`, ['null']],
    [`releases.0.${key}.0.values.0`, SCALAR],
  ]),
  ['releases.0.set.0.file', TEXT],
]

/** The same with this value at that place. */
function withAt(whole: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value
  if (Array.isArray(whole)) return whole.map((item) => withAt(item, rest, value))
  const map = whole as Readonly<Record<string, unknown>>
  return {...map, [step]: withAt(map[step], rest, value)}
}

function importing(place: string, kind: Kind) {
  const changed = withAt(HELMFILE, place.split('.').filter(Boolean), KINDS[kind])
  const text = JSON.stringify(changed, undefined, 1)
  return () => importHelmfile({file: 'helmfile.yaml', text, isBuilt: false, showSecrets: false, name: 'shop'})
}

describe.each(PLACES)('in a helmfile at "%s"', (place, taken) => {
  const kinds = Object.keys(KINDS) as Kind[]

  it(`accepts ${taken.join(', ') || 'none of these'}`, () => {
    for (const kind of taken) expect(importing(place, kind), kind).not.toThrow()
  })

  it('rejects every other kind with its position', () => {
    const at = new RegExp(`^helmfile\\.yaml:\\d+:\\d+: ${place.replaceAll('.', '\\.')}.*expected `)
    const error = expect.objectContaining({code: 'KK_FILE', message: expect.stringMatching(at)})

    for (const kind of kinds.filter((each) => !taken.includes(each)))
      expect(importing(place, kind), kind).toThrow(error)
  })
})

it('advises quoting a scalar that YAML parses as another type', () => {
  const text = 'releases:\n- name: web\n  chart: ./web\n  needs: [off]\n'

  expect(() =>
    importHelmfile({file: 'helmfile.yaml', text, isBuilt: false, showSecrets: false, name: 'shop'}),
  ).toThrow(
    expect.objectContaining({
      message: 'helmfile.yaml:4:11: releases.0.needs.0: expected a string, got the boolean false',
      hint: 'write it in quotes',
    }),
  )
})

it('reports the position in the last of several files that helmfile has built', () => {
  const text = '---\n#  Source: a.yaml\n\nreleases: []\n---\n#  Source: b/c.yaml\n\nreleases: {}\n'

  expect(() =>
    importHelmfile({file: 'built.yaml', text, isBuilt: true, showSecrets: false, name: 'shop'}),
  ).toThrow('the output of helmfile build:8:1: releases: expected a list of releases, got a map')
})
