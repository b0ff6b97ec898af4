import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {Readable} from 'node:stream'
import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import type {Values} from '../../src/base/values.ts'
import type {Environment} from '../../src/environment/environment.ts'
import {loadDocument, loadEnvironment} from '../../src/environment/load.ts'
import {readEnvironment} from '../../src/environment/read.ts'
import {splitFiles} from '../../src/verbs/split.ts'
import {type Files, writeFiles} from '../charts/support/write-files.ts'
import {NASTY_STRINGS} from './support/nasty-strings.ts'

/** The environment in a.yaml, among these files. */
async function load(files: Files): Promise<Environment> {
  return loadEnvironment({file: 'a.yaml', cwd: writeFiles(files)})
}

function sectionsOf({sections}: Environment): Values {
  return Object.fromEntries(sections)
}

describe('an environment file that includes others', () => {
  it('is merged over them in their order: maps merge, everything else is replaced', async () => {
    const {sections, global, namespace, context} = await load({
      'a.yaml': 'kk: {include: [b.yaml, c.yaml], context: one}\nglobal: {region: One}\nnova: {x: {a: 1}}\n',
      'b.yaml':
        'kk: {namespace: cloud, context: both}\nglobal: {region: None, l: [1, 2]}\nnova: {x: {b: 2, a: 2}, l: [1, 2]}\n',
      'c.yaml': 'nova: {x: {c: 3, b: 3, a: 3}, l: [3]}\nglance: {only: 1}\n',
    })

    expect(Object.fromEntries(sections)).toEqual({nova: {x: {a: 1, b: 3, c: 3}, l: [3]}, glance: {only: 1}})
    expect({global, namespace, context}).toEqual({
      global: {region: 'One', l: [1, 2]},
      namespace: 'cloud',
      context: 'one',
    })
  })

  it('adds nothing by an empty section, and settings of a release', async () => {
    const {sections, releases} = await load({
      'a.yaml': 'kk: {include: [b.yaml], releases: {nova: }}\nglobal:\nnova:\n',
      'b.yaml':
        'kk: {releases: {nova: {timeout: 5m, requires: [glance]}}}\nglobal: {a: 1}\nnova: {b: 1}\nglance:\n',
    })

    expect(Object.fromEntries(sections)).toEqual({nova: {b: 1}, glance: {}})
    expect(releases.get('nova')).toMatchObject({timeoutSeconds: 300, requires: [{release: 'glance'}]})
  })

  it('names files, and files name charts, relative to themselves', async () => {
    const cwd = writeFiles({
      'clouds/one/a.yaml': 'kk: {include: [../common/b.yaml], releases: {nova: {values: [nova.yaml]}}}\n',
      'clouds/one/nova.yaml': 'a: 1\n',
      'clouds/common/b.yaml':
        'kk: {charts: [charts, built-in, /opt/charts, oci://example.org/x, {oci: oci://example.org/y, keyring: k.gpg}], releases: {nova: {values: [values/nova.yaml]}}}\n',
      'clouds/common/values/nova.yaml': 'a: 2\nb: 2\n',
    })

    const {directory, charts, sections} = await loadEnvironment({file: 'clouds/one/a.yaml', cwd})

    expect(directory).toBe(join(cwd, 'clouds/one'))
    expect(Object.fromEntries(sections)).toEqual({nova: {a: 1, b: 2}})
    expect(charts).toEqual([
      {kind: 'directory', path: join(cwd, 'clouds/common/charts')},
      {kind: 'built-in'},
      {kind: 'directory', path: '/opt/charts'},
      {kind: 'oci', url: 'oci://example.org/x'},
      {kind: 'oci', url: 'oci://example.org/y', keyring: join(cwd, 'clouds/common/k.gpg')},
    ])
  })

  it('names files relative to the working directory if it is standard input', async () => {
    const cwd = writeFiles({'b.yaml': 'nova: {a: 1}\n'})
    const stdin = Readable.from(['kk: {name: piped, include: [b.yaml]}\nnova: {b: 1}\n'])

    expect(sectionsOf(await loadEnvironment({file: '-', cwd, stdin}))).toEqual({nova: {a: 1, b: 1}})
  })

  it('merges a file that several include once, below all of them', async () => {
    const environment = await load({
      'a.yaml': 'kk: {include: [b.yaml, c.yaml]}\n',
      'b.yaml': 'kk: {include: [d.yaml]}\nnova: {x: b}\n',
      'c.yaml': 'kk: {include: [d.yaml]}\n',
      'd.yaml': 'nova: {x: d}\n',
    })

    expect(sectionsOf(environment)).toEqual({nova: {x: 'b'}})
  })

  it('law: is merged as Helm merges values, and means the same when its text is read again', async () => {
    const value = fc.letrec<{value: unknown; map: Values}>((tie) => ({
      value: fc.oneof(
        {maxDepth: 3},
        fc.constantFrom<unknown>(null, true, 0, -1.5, 1e21, ...NASTY_STRINGS),
        fc.array(tie('value'), {maxLength: 2}),
        tie('map'),
      ),
      map: fc.dictionary(fc.constantFrom('a', 'b', ...NASTY_STRINGS), tie('value'), {maxKeys: 3}),
    }))
    const file = fc.record({nova: value.map, global: value.map, glance: value.map}, {requiredKeys: []})

    await fc.assert(
      fc.asyncProperty(fc.array(file, {minLength: 2, maxLength: 4}), async (files) => {
        const names = files.slice(1).map((_, index) => `${index}.yaml`)
        const texts = files.map(yamlOf)
        const cwd = writeFiles({
          'a.yaml': `kk: {include: [${names.join(', ')}]}\n${texts[0]}`,
          ...Object.fromEntries(names.map((name, index) => [name, `kk: {}\n${texts[index + 1]}`])),
        })

        const {source} = await loadDocument({file: 'a.yaml', cwd})
        const environment = await loadEnvironment({file: 'a.yaml', cwd})

        const [own = {}, ...included] = files
        const {global, ...sections} = mergeValues(...included, own)
        expect([environment.global, sectionsOf(environment)]).toEqual([global, sections])
        const again = readEnvironment({...source, directory: '/'})
        expect([again.global, sectionsOf(again)]).toEqual([global, sections])
      }),
      {numRuns: 60},
    )
  })

  it('law: is over the files that it includes, directly or not', async () => {
    const pairs = (count: number) =>
      Array.from({length: count}, (_, low) =>
        Array.from({length: low}, (_, high) => [high, low] as const),
      ).flat()

    await fc.assert(
      fc.asyncProperty(
        fc
          .integer({min: 2, max: 6})
          .chain((count) => fc.subarray(pairs(count)).map((edges) => ({count, edges}))),
        async ({count, edges}) => {
          const includedBy = (file: number) => edges.filter(([high]) => high === file).map(([, low]) => low)
          const files = Array.from({length: count}, (_, file) => file)
          const reached = new Set([0])
          for (const file of reached) for (const low of includedBy(file)) reached.add(low)

          const environment = await load(
            Object.fromEntries(
              files.map((file) => {
                const own = edges
                  .filter((edge) => edge.includes(file))
                  .map((edge) => `e${edge.join('-')}: ${file}`)
                const include = includedBy(file).map((low) => nameOf(low))
                return [
                  nameOf(file),
                  `kk: {include: [${include.join(', ')}]}\nnova: {f${file}: ${file}, ${own.join(', ')}}\n`,
                ]
              }),
            ),
          )

          expect(sectionsOf(environment).nova).toEqual(
            Object.fromEntries([
              ...[...reached].map((file) => [`f${file}`, file]),
              ...edges
                .filter((edge) => edge.some((file) => reached.has(file)))
                .map((edge) => [`e${edge.join('-')}`, edge.find((file) => reached.has(file))]),
            ]),
          )
        },
      ),
      {numRuns: 60},
    )
  })
})

/** Of a.yaml, b.yaml, … the one with this number. */
function nameOf(file: number): string {
  return `${'abcdef'[file]}.yaml`
}

/** Values as YAML that every reader reads alike, written without kk. */
function yamlOf(values: Values): string {
  return Object.entries(values)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('')
    .replace(/[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g, (character) => {
      return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
    })
}

describe('files of values of a release', () => {
  it('are below its section and over included sections, in their order', async () => {
    const environment = await load({
      'a.yaml': 'kk: {include: [b.yaml], releases: {nova: {values: [v.yaml, w.yaml]}}}\nnova: {own: a}\n',
      'b.yaml': 'nova: {own: b, v: b, w: b, b: b}\n',
      'v.yaml': 'own: v\nv: v\nw: v\n',
      'w.yaml': 'own: w\nw: w\n',
    })

    expect(sectionsOf(environment)).toEqual({nova: {own: 'a', w: 'w', v: 'v', b: 'b'}})
  })

  it('make the section of a release, also if they are empty', async () => {
    const environment = await load({
      'a.yaml': 'kk: {releases: {nova: {values: [v.yaml], timeout: 5m}}}\nglance: {}\n',
      'v.yaml': '# later\n',
    })

    expect(sectionsOf(environment)).toEqual({nova: {}, glance: {}})
    expect(environment.releases.get('nova')).toEqual({requires: [], without: [], timeoutSeconds: 300})
  })
})

describe('positions', () => {
  const files = {
    'a.yaml':
      'kk:\n  include: [b.yaml]\n  releases:\n    nova: {values: [v.yaml], requires: [glance]}\nnova: {x: {own: 1}}\n',
    'b.yaml': 'nova:\n  x: {own: 2, b: 2}\n  z: {l: [1, 2]}\n',
    'v.yaml': 'v: {w: 1}\n',
  }

  it.each([
    [['nova'], 'a.yaml:5:1'],
    [['nova', 'x', 'own'], 'a.yaml:5:12'],
    [['nova', 'x', 'b'], 'b.yaml:2:15'],
    [['nova', 'z', 'l', 1], 'b.yaml:3:14'],
    [['nova', 'v', 'w'], 'v.yaml:1:5'],
    [['kk', 'releases', 'nova', 'requires', 0], 'a.yaml:4:41'],
  ])('of %j is in the file that has the key', async (path, place) => {
    const {position} = await load(files)

    const {file, line, column} = position(path)!
    expect(`${file}:${line}:${column}`).toBe(place)
  })

  it('of a requirement is in the file that has it', async () => {
    const {releases} = await load({
      'a.yaml': 'kk: {include: [b.yaml]}\n',
      'b.yaml': 'kk:\n  releases:\n    nova: {requires: [glance]}\nnova: {}\n',
    })

    expect(releases.get('nova')?.requires).toMatchObject([{position: {file: 'b.yaml', line: 3, column: 23}}])
  })
})

describe('the text of an environment', () => {
  it('without other files is that of its file', async () => {
    const text = '# kept\nkk: {include: [], releases: {nova: {values: []}}}\nnova: &a {x: 1.0}\n'
    const cwd = writeFiles({'a.yaml': text})

    expect((await loadDocument({file: 'a.yaml', cwd})).source).toMatchObject({text, directory: cwd})
    expect(readEnvironment({file: 'a.yaml', text, directory: cwd}).sections.get('nova')).toEqual({x: 1})
  })

  it('with other files names none of them, and changes with each', async () => {
    const files = {
      'one/a.yaml': 'kk: {name: one, include: [../b.yaml], releases: {nova: {values: [v.yaml]}}}\n',
      'b.yaml': 'kk: {charts: [charts]}\nnova: {b: 1}\n',
      'one/v.yaml': 'v: 1\n',
    }
    const textOf = async (more: Files) => {
      const cwd = writeFiles({...files, ...more})
      return (await loadDocument({file: 'one/a.yaml', cwd})).source.text
    }

    expect(await textOf({})).toBe(
      'kk:\n  charts:\n    - ./../charts\n  name: one\n  releases:\n    nova: {}\nnova:\n  b: 1\n  v: 1\n',
    )
    expect(await textOf({'b.yaml': 'nova: {b: 2}\n'})).toContain('b: 2\n')
    expect(await textOf({'one/v.yaml': 'v: 2\n'})).toContain('v: 2\n')
  })
})

it('two regions share a file as docs/environment.md shows it', async () => {
  const page = await readFile(join(import.meta.dirname, '../../docs/environment.md'), 'utf8')
  const blocks = page.matchAll(/^```yaml\n# (\S+\.yaml)\n([^`]*)^```$/gm)
  const cwd = writeFiles(Object.fromEntries([...blocks].map(([, file = '', text = '']) => [file, text])))

  const one = await loadEnvironment({file: 'region-one.yaml', cwd})
  const two = await loadEnvironment({file: 'region-two.yaml', cwd})

  const shown = [one, two].map(({name, context, features, global, sections}) => ({
    ...{name, context, features, region: global?.region},
    ...Object.fromEntries(sections),
  }))
  const nova = (ratio: number) => ({
    conf: {nova: {DEFAULT: {cpu_allocation_ratio: ratio, ram_allocation_ratio: 1}}},
  })
  const keystone = (replicas: number) => ({pod: {replicas: {api: replicas}}})
  expect(shown).toEqual([
    {
      ...{name: 'region-one', context: 'region-one', features: ['kolla'], region: 'RegionOne'},
      ...{keystone: keystone(3), nova: nova(4)},
    },
    {
      ...{name: 'region-two', context: 'region-two', features: ['kolla'], region: 'RegionTwo'},
      ...{keystone: keystone(1), nova: nova(16)},
    },
  ])
})

it('kk values split writes what the files give together, and warns of duplicate keys in each', async () => {
  const warnings: string[] = []
  const cwd = writeFiles({
    'a.yaml': 'kk: {include: [b.yaml]}\nglobal: {region: One}\nnova: {x: {a: 1}, x: {a: 2}}\n',
    'b.yaml': 'global: {a: 1}\nnova: {l: [1], l: [2], yes: "on"}\nglance: {}\n',
  })

  const document = await loadDocument({file: 'a.yaml', cwd, onDuplicate: (each) => warnings.push(each)})

  expect(Object.fromEntries(splitFiles(document, []))).toEqual({
    nova: "global:\n  a: 1\n  region: One\nl:\n- 2\n'true': 'on'\nx:\n  a: 2\n",
    glance: 'global:\n  a: 1\n  region: One\n',
  })
  expect(warnings).toEqual([
    'a.yaml:3:19: the key "x" is duplicate, first in line 3',
    'b.yaml:2:16: the key "l" is duplicate, first in line 2',
  ])
})
