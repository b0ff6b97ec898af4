import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import fc from 'fast-check'
import {expect, it} from 'vitest'
import type {Values} from '../../src/base/values.ts'
import {mergedValues} from '../../src/overrides/layers.ts'
import {blockYaml} from '../../src/overrides/overrides-yaml.ts'
import {HELMS} from '../support/helms.ts'
import {testDirectory} from '../support/test-directory.ts'
import {toolPath} from '../support/tools.ts'
import {valuesOfHelm, writeProbeChart} from './support/probe.ts'

const STACKS = 500
/** Defaults of the chart, and up to six layers above them. */
const HEIGHT = 7

/** Strings that YAML 1.1 parses as other types, and ones that are hard to print. */
const WORDS = ['yes', 'No', 'on', 'OFF', 'y', 'null', '~', 'true', '0640', '0x1f', '1e3', '.5', '1_000', '+1']
const TEXTS = [
  '1:30',
  '2025-01-01',
  '=',
  '<<',
  '- a',
  'a: b',
  '# c',
  'ü€😀',
  'line\nline\n',
  ' x ',
  '',
  '{',
  '*a',
  '%',
]
const scalar = fc.oneof(
  fc.constantFrom<unknown>(null, null, true, false, 0, -7, 1.5, 2 ** 40, ...WORDS, ...TEXTS),
  fc.string({unit: 'grapheme', maxLength: 12}),
)
const {map} = fc.letrec<{map: Values}>((tie) => ({
  map: fc.dictionary(
    fc.constantFrom('a', 'b', 'c', 'd.e', 'yes', '1', 'ключ', 'constructor'),
    fc.oneof({maxDepth: 4}, scalar, fc.array(fc.oneof(scalar, tie('map')), {maxLength: 3}), tie('map')),
    {maxKeys: 4},
  ),
}))
const stacks = fc.sample(fc.array(map, {minLength: 2, maxLength: HEIGHT}), {seed: 31, numRuns: STACKS})

/** The layers of one level of all stacks, each below a separate key. */
const atHeight = (height: number): Values =>
  Object.fromEntries(stacks.flatMap((stack, index) => (stack[height] ? [[`t${index}`, stack[height]]] : [])))

it.each(HELMS)(
  `the combined overrides of ${STACKS} random stacks of layers, as YAML, mean the same to %s as the layers`,
  async (name) => {
    const directory = testDirectory()
    const chart = await writeProbeChart(directory)
    await writeFile(join(chart, 'values.yaml'), JSON.stringify(atHeight(0)))
    const layers = Array.from({length: HEIGHT - 1}, (_, index) => atHeight(index + 1))
    const files = layers.map((_, index) => join(directory, `layer-${index}.json`))
    for (const [index, layer] of layers.entries()) await writeFile(files[index]!, JSON.stringify(layer))
    const combined = join(directory, 'combined.yaml')
    await writeFile(
      combined,
      blockYaml(mergedValues(layers.map((values) => ({name: 'values', source: 'random', values})))),
    )
    const helm = await toolPath(name)

    const given = await valuesOfHelm({helm, chart, flags: files.flatMap((file) => ['--values', file])})
    const shown = await valuesOfHelm({helm, chart, flags: ['--values', combined]})

    expect(Object.keys(given as object)).toHaveLength(STACKS)
    expect(shown).toEqual(given)
  },
  600_000,
)
