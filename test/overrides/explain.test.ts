import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import type {Values} from '../../src/base/values.ts'
import {type ExplainedLayer, explain} from '../../src/overrides/explain.ts'
import type {Layer} from '../../src/overrides/layer.ts'
import {mergedValues} from '../../src/overrides/layers.ts'

const NAMES = ['features', 'system', 'section', 'user'] as const

/** Layers of these values, from the weakest to the strongest. */
function layersOf(...values: readonly Values[]): Layer[] {
  return values.map((each, index) => ({name: NAMES[index]!, source: `${NAMES[index]}.yaml`, values: each}))
}

/** Returns the explanation as lines: `a.b: 2 section, not features 1`. */
function explained(layers: readonly ExplainedLayer[], final: Values): readonly string[] {
  return explain(layers, final).map(({path, value, winner, lost}) => {
    const losers = lost.map((each) => `, not ${each.layer} ${JSON.stringify(each.value)}`)
    return `${path.join('.')}: ${JSON.stringify(value) ?? 'removed'} ${winner?.layer ?? 'helm'}${losers.join('')}`
  })
}

const {tree} = fc.letrec<{tree: Values; value: unknown}>((tie) => ({
  tree: fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('value'), {maxKeys: 3, noNullPrototype: true}),
  value: fc.oneof(
    {maxDepth: 3},
    fc.integer(),
    fc.string(),
    fc.array(fc.integer(), {maxLength: 2}),
    tie('tree'),
  ),
}))

describe('explain', () => {
  it('names the strongest layer that has a key, and all that lost', () => {
    const layers = layersOf({pod: {api: 1}, debug: false}, {pod: {api: 2}}, {pod: {api: 3}})

    expect(explained(layers, mergedValues(layers))).toEqual([
      'pod.api: 3 section, not system 2, not features 1',
      'debug: false features',
    ])
  })

  it('explains a list as a whole', () => {
    const layers = layersOf({hosts: ['a', 'b']}, {hosts: ['c']})

    expect(explained(layers, mergedValues(layers))).toEqual(['hosts: ["c"] system, not features ["a","b"]'])
  })

  it('counts values in a map that a stronger layer replaced as lost', () => {
    const layers = layersOf({pod: {replicas: {server: 1}}}, {pod: {replicas: 2}})

    expect(explained(layers, mergedValues(layers))).toEqual([
      'pod.replicas: 2 system, not features {"server":1}',
    ])
  })

  it('does not let a layer win below a map that a stronger layer replaced in between', () => {
    const layers = layersOf({pod: {replicas: {server: 1}}}, {pod: 'none'}, {pod: {replicas: {api: 2}}})

    expect(explained(layers, mergedValues(layers))).toEqual([
      'pod.replicas.api: 2 section',
      // Helm's result does not have it, and no null removed it.
    ])
  })

  it('lets the defaults win below a map with which a layer replaced the scalar of another', () => {
    const [section, user] = layersOf({pod: 'none'}, {pod: {api: 2}})
    const defaults = {name: 'defaults' as const, source: 'values.yaml', values: {pod: {server: 1}}}

    expect(explained([defaults, section!, user!], {pod: {server: 1, api: 2}})).toEqual([
      'pod.server: 1 defaults',
      'pod.api: 2 system',
    ])
  })

  it('shows the key that a null removed', () => {
    const layers = layersOf({pod: {api: 1}, debug: true}, {pod: null})

    expect(explained(layers, {debug: true})).toEqual([
      'debug: true features',
      'pod: removed system, not features {"api":1}',
    ])
  })

  it('reports values that no layer has as computed by helm', () => {
    expect(explained(layersOf({port: 1}), {port: 2, sub: {enabled: true}})).toEqual([
      'port: 2 helm, not features 1',
      'sub.enabled: true helm',
    ])
  })

  it('returns the position in a file, and the source within the layer', () => {
    const position = {file: 'cloud.yaml', line: 3, column: 5}
    const [file, set] = layersOf({debug: false}, {debug: true})
    const [key] = explain(
      [
        {...file!, position: () => position},
        {...set!, sourceOf: (path) => `--set ${path.join('.')}`},
      ],
      {debug: true},
    )

    expect(key?.winner).toEqual({layer: 'system', source: '--set debug', value: true})
    expect(key?.lost).toEqual([{layer: 'features', source: 'features.yaml', position, value: false}])
  })

  it('finds a winner with the final value for every key of merged layers', () => {
    fc.assert(
      fc.property(fc.array(tree, {maxLength: 4}), (values) => {
        const layers = layersOf(...values)
        const final = mergedValues(layers)
        for (const {path, value, winner} of explain(layers, final)) {
          expect(winner?.value, path.join('.')).toEqual(value)
        }
      }),
    )
  })
})
