import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import fc from 'fast-check'
import {expect, it} from 'vitest'
import {childEnvironment} from '../../src/helm/child-environment.ts'
import {valuesJson} from '../../src/helm/open.ts'
import {runHelm} from '../../src/helm/run.ts'
import {readYaml} from '../../src/yaml/yaml.ts'
import {NASTY_STRINGS} from '../environment/support/nasty-strings.ts'
import {writeProbeChart} from '../overrides/support/probe.ts'
import {HELMS} from '../support/helms.ts'
import {testDirectory} from '../support/test-directory.ts'
import {toolPath} from '../support/tools.ts'

const text = fc.oneof(fc.constantFrom(...NASTY_STRINGS), fc.string({unit: 'binary', maxLength: 20}))
const {value} = fc.letrec((tie) => ({
  value: fc.oneof(
    {maxDepth: 4},
    text,
    fc.constantFrom(null, true, 0, -1.5, 1e21, 1e-7),
    fc.array(tie('value'), {maxLength: 3}),
    fc.dictionary(text, tie('value'), {maxKeys: 3}),
  ),
}))

it('valuesJson escapes characters that YAML 1.1 would parse as a line break or a mark', () => {
  expect(valuesJson({a: '\u0085\u2028\ufeffé'})).toBe('{"a":"\\u0085\\u2028\\ufeffé"}\n')
})

it.each(HELMS)('values written by kk are read by %s, also at buffer boundaries', async (name) => {
  const directory = testDirectory()
  const chart = await writeProbeChart(directory)
  await writeFile(join(chart, 'templates/values.yaml'), 'length: {{ len (.Values.text | default "") }}\n')
  const helm = await toolPath(name)
  const around = JSON.stringify({text: ''}).length

  for (const bytes of [4095, 4096, 4097, 8192]) {
    const text = 'x'.repeat(bytes - around)
    const {stdout} = await runHelm({
      path: helm,
      arguments: ['template', 'probe', chart, '--values', '-'],
      env: childEnvironment(process.env),
      input: valuesJson({text}),
    })
    expect(stdout).toMatch(new RegExp(`^length: ${text.length}$`, 'm'))
  }
})

it.each(HELMS)(
  'values written by kk are read unchanged by %s and by kk',
  async (name) => {
    const directory = testDirectory()
    const values = {
      all: fc.sample(value, {seed: 3, numRuns: 500}),
      nasty: NASTY_STRINGS.map((each) => ({[each]: each})),
    }

    const chart = await writeProbeChart(directory)
    // Helm refuses to print some of these characters, but not to read them.
    await writeFile(join(chart, 'templates/values.yaml'), 'values: {{ .Values | toJson | b64enc }}\n')

    const {stdout} = await runHelm({
      path: await toolPath(name),
      arguments: ['template', 'probe', chart, '--values', '-'],
      env: childEnvironment(process.env),
      input: valuesJson(values),
    })

    const printed = Buffer.from(/values: (.*)/.exec(stdout)?.[1] ?? '', 'base64').toString()
    expect(JSON.parse(printed)).toEqual(values)
    expect(readYaml(valuesJson(values))).toEqual(values)
  },
  600_000,
)
