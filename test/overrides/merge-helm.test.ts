import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {isDeepStrictEqual} from 'node:util'
import fc from 'fast-check'
import {expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import type {Values} from '../../src/base/values.ts'
import {type ExplainedLayer, explain} from '../../src/overrides/explain.ts'
import {HELMS} from '../support/helms.ts'
import {testDirectory} from '../support/test-directory.ts'
import {toolPath} from '../support/tools.ts'
import {valuesOfHelm, writeProbeChart} from './support/probe.ts'

const scalar = fc.constantFrom(null, true, 0, 'text', '')
const {map} = fc.letrec<{map: Record<string, unknown>}>((tie) => ({
  map: fc.dictionary(
    fc.constantFrom('a', 'b', 'constructor', 'valueOf'),
    fc.oneof({maxDepth: 4}, scalar, fc.array(scalar, {maxLength: 2}), tie('map')),
  ),
}))

it.each(HELMS)(
  'mergeValues does what %s does with two files',
  async (name) => {
    const directory = testDirectory()
    const pairs = fc.sample(fc.tuple(map, map), {seed: 5, numRuns: 300})
    const [lower, upper] = [0, 1].map((side) =>
      Object.fromEntries(pairs.map((pair, index) => [`t${index}`, pair[side]!])),
    ) as [Record<string, unknown>, Record<string, unknown>]
    const files = [join(directory, 'lower.json'), join(directory, 'upper.json')] as const
    await writeFile(files[0], JSON.stringify(lower))
    await writeFile(files[1], JSON.stringify(upper))

    const merged = await valuesOfHelm({
      helm: await toolPath(name),
      chart: await writeProbeChart(directory),
      flags: files.flatMap((file) => ['--values', file]),
    })

    expect(merged).toEqual(mergeValues(lower, upper))
  },
  600_000,
)

it.each(HELMS)(
  "explain names the source of each value that %s computes from a chart's defaults and several layers",
  async (name) => {
    const directory = testDirectory()
    const drawn = fc.sample(fc.tuple(map, map, map, map), {seed: 7, numRuns: 1000})
    // Like parsed files: without maps that lack a prototype.
    const samples: typeof drawn = JSON.parse(JSON.stringify(drawn))
    const [defaults, ...given] = [0, 1, 2, 3].map((side) =>
      Object.fromEntries(samples.map((sample, index) => [`t${index}`, sample[side]!])),
    ) as [Values, Values, Values, Values]
    const layers = given.map((values, index): ExplainedLayer => {
      const layer = (['system', 'section', 'user'] as const)[index]!
      return {name: layer, source: layer, values}
    })
    // Helm itself removes a null among the defaults: the rest of its map has no source.
    const values: Values = JSON.parse(JSON.stringify(defaults), (_, value) => value ?? 'none')
    const said: ExplainedLayer = {name: 'defaults', source: 'values.yaml', values}
    const chart = await writeProbeChart(directory)
    await writeFile(join(chart, 'values.yaml'), JSON.stringify(said.values))
    await writeFile(join(directory, 'values.json'), JSON.stringify(mergeValues(...given)))

    const flags = ['--values', join(directory, 'values.json')]
    const final = (await valuesOfHelm({helm: await toolPath(name), chart, flags})) as Values

    const keys = explain([said, ...layers], final)
    const wrong = keys.filter(
      ({value, winner}) => value !== undefined && !isDeepStrictEqual(winner?.value, value),
    )
    const shown = wrong.map(({path, value, winner}) =>
      JSON.stringify({path, value, winner, of: samples[Number(path[0]!.slice(1))]}),
    )
    expect(shown).toEqual([])
  },
  600_000,
)
