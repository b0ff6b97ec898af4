import {describe, expect, it} from 'vitest'
import {mergedValues, releaseLayers} from '../../src/overrides/layers.ts'
import {valuesFile} from '../../src/overrides/values-file.ts'
import type {Values} from '../../src/release.ts'

const environment = (global: Values | undefined, sections: Record<string, Values>) => ({
  file: 'cloud.yaml',
  global,
  sections: new Map(Object.entries(sections)),
  position: () => undefined,
})

describe('releaseLayers', () => {
  it('go from features to --set, each with its source', () => {
    const layers = releaseLayers({
      environment: environment({region: 'one'}, {keystone: {pod: {api: 1}}}),
      release: 'keystone',
      features: [{name: 'features', source: 'noble.yaml', values: {images: {}}}],
      system: {name: 'system', source: 'facts', values: {hosts: 3}},
      user: {name: 'user', source: 'store', values: {debug: true}},
      valuesFiles: [valuesFile('extra.yaml', 'debug: false')],
      sets: ['pod.api=3'],
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

  it('leaves out what says nothing', () => {
    expect(releaseLayers({environment: environment(undefined, {mariadb: {}}), release: 'mariadb'})).toEqual(
      [],
    )
  })

  it('gives a release without a section the common values alone', () => {
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

  it('gives a release whose section turns it off no global at all', () => {
    const layers = releaseLayers({
      environment: environment({region: 'one'}, {strict: {v: 2, global: null}}),
      release: 'strict',
    })

    expect(mergedValues(layers)).toEqual({v: 2})
  })

  it('understands an index in --set as one of the list below', () => {
    const layers = releaseLayers({
      environment: environment(undefined, {nova: {hosts: [{name: 'a'}, {name: 'b'}]}}),
      release: 'nova',
      sets: ['hosts[1].name=c', 'hosts[2].name=d'],
    })

    expect(mergedValues(layers)).toEqual({hosts: [{name: 'a'}, {name: 'c'}, {name: 'd'}]})
  })

  it('names the release when --set is wrong, and no value', () => {
    const sources = {
      environment: environment(undefined, {}),
      release: 'nova',
      sets: ['password=hunter2,sesame'],
    }

    expect(() => releaseLayers(sources)).toThrow(
      expect.objectContaining({
        code: 'KK_VALUES',
        message: '--set nova:password=***: expected "=" and a value after the key, at character 23',
      }),
    )
  })
})
