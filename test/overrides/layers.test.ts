import {describe, expect, it} from 'vitest'
import type {Values} from '../../src/base/values.ts'
import {largeNumberNotes, mergedValues, releaseLayers} from '../../src/overrides/layers.ts'
import {valuesFile} from '../../src/overrides/values-file.ts'

const environment = (global: Values | undefined, sections: Record<string, Values>) => ({
  file: 'cloud.yaml',
  global,
  sections: new Map(Object.entries(sections)),
  position: () => undefined,
})

describe('releaseLayers', () => {
  it('orders layers from features to --set, each with its source', () => {
    const layers = releaseLayers({
      environment: environment({region: 'one'}, {keystone: {pod: {api: 1}}}),
      release: 'keystone',
      features: [{name: 'features', source: 'noble.yaml', values: {images: {}}}],
      system: {name: 'system', source: 'facts', values: {hosts: 3}},
      user: {name: 'user', source: 'store', values: {debug: true}},
      valuesFiles: [valuesFile('extra.yaml', 'debug: false')],
      sets: [{flag: '--set', expression: 'pod.api=3'}],
    })

    expect(layers.map(({name, source, values}) => ({name, source, values}))).toEqual([
      {name: 'features', source: 'noble.yaml', values: {images: {}}},
      {name: 'system', source: 'facts', values: {hosts: 3}},
      {name: 'global', source: 'global of cloud.yaml', values: {global: {region: 'one'}}},
      {name: 'section', source: 'section keystone of cloud.yaml', values: {pod: {api: 1}}},
      {name: 'user', source: 'store', values: {debug: true}},
      {name: 'values', source: '--values keystone=extra.yaml', values: {debug: false}},
      {name: 'set', source: '--set keystone:pod.api=***', values: {pod: {api: 3}}},
    ])
  })

  it('has strings of --set-string over --set, whatever they look like', () => {
    const layers = releaseLayers({
      environment: environment(undefined, {app: {}}),
      release: 'app',
      sets: [
        {flag: '--set', expression: 'tag=1,port=80'},
        {flag: '--set-string', expression: 'tag=58467965'},
      ],
    })

    expect(mergedValues(layers)).toEqual({tag: '58467965', port: 80})
    expect(layers.at(-1)!.sourceOf!(['tag'])).toBe('--set-string app:tag=***')
  })

  it.each([
    ['--set', 'a.tag=58467965,list[0].n=-1000000', ['a.tag', 'list[0].n']],
    ['--set', 'tag=999999', []],
    ['--set-string', 'tag=58467965', []],
  ] as const)(
    'names the keys of integers in %s %s that print with an exponent, without their values',
    (flag, expression, paths) => {
      const layers = releaseLayers({
        environment: environment(undefined, {app: {size: 58467965}}),
        release: 'app',
        sets: [{flag, expression}],
      })

      const notes = largeNumberNotes('app', layers)

      expect(notes.map((note) => note.split(': ')[0])).toEqual(paths.map((path) => `--set app:${path}`))
      expect(notes.join()).not.toContain('58467965')
    },
  )

  it('omits empty layers', () => {
    expect(releaseLayers({environment: environment(undefined, {mariadb: {}}), release: 'mariadb'})).toEqual(
      [],
    )
  })

  it('gives a release without a section only the common values', () => {
    const layers = releaseLayers({
      environment: environment({region: 'one'}, {keystone: {}}),
      release: 'mariadb',
    })

    expect(mergedValues(layers)).toEqual({global: {region: 'one'}})
  })

  it("merges a section's own global over the common one", () => {
    const layers = releaseLayers({
      environment: environment({region: 'one', tls: {on: true}}, {nova: {global: {region: 'two'}}}),
      release: 'nova',
    })

    expect(mergedValues(layers)).toEqual({global: {region: 'two', tls: {on: true}}})
  })

  it('gives a release with global: null in its section no global at all', () => {
    const layers = releaseLayers({
      environment: environment({region: 'one'}, {strict: {v: 2, global: null}}),
      release: 'strict',
    })

    expect(mergedValues(layers)).toEqual({v: 2})
  })

  it('resolves an index in --set in the list of the lower values', () => {
    const layers = releaseLayers({
      environment: environment(undefined, {nova: {hosts: [{name: 'a'}, {name: 'b'}]}}),
      release: 'nova',
      sets: [
        {flag: '--set', expression: 'hosts[1].name=c'},
        {flag: '--set', expression: 'hosts[2].name=d'},
      ],
    })

    expect(mergedValues(layers)).toEqual({hosts: [{name: 'a'}, {name: 'c'}, {name: 'd'}]})
  })

  it('names the release but no value if --set is wrong', () => {
    const sources = {
      environment: environment(undefined, {}),
      release: 'nova',
      sets: [{flag: '--set', expression: 'password=hunter2,sesame'}] as const,
    }

    expect(() => releaseLayers(sources)).toThrow(
      expect.objectContaining({
        code: 'KK_VALUES',
        message: '--set nova:password=***: expected "=" and a value after the key, at character 23',
      }),
    )
  })
})
