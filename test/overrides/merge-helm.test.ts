import {mkdtemp, rm, writeFile} from 'node:fs/promises'
import {tmpdir} from 'node:os'
import {join} from 'node:path'
import fc from 'fast-check'
import {expect, it} from 'vitest'
import {mergeValues} from '../../src/overrides/merge.ts'
import {HELMS} from '../support/helms.ts'
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
  'mergeValues is what %s does with two files',
  async (name) => {
    const directory = await mkdtemp(join(tmpdir(), 'kk-merge-'))
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
    await rm(directory, {recursive: true})
  },
  600_000,
)
