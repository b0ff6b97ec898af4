import {readFileSync, symlinkSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {readChartFiles} from '../../../src/charts/files/chart-files.ts'
import {readPackageFiles} from '../../../src/charts/files/package-files.ts'
import {readOwnFiles} from '../../../src/charts/own-files.ts'
import {readChart} from '../../../src/charts/read-chart.ts'
import {packageChart} from '../support/helm.ts'
import {manifest, writeFiles} from '../support/write-files.ts'

const TREE = {
  'Chart.yaml': manifest('demo'),
  'values.yaml': 'a: 1\n',
  'README.md': '# demo\n',
  'docs/guide.md': '',
  'docs/deep/README.md': '',
  'templates/_helpers.tpl': '',
  'templates/.hidden': '',
  'templates/sub/.kept': '',
  'templates/demo.yaml': 'kind: ConfigMap\n',
  'tests/a.txt': '',
  'ci/tests/b.txt': '',
  'a b.txt': '',
}

// Each is a .helmignore; helm itself shows which files remain.
it.each([
  '',
  '# a comment\n\n*.md\n',
  'docs/\n',
  'docs\n',
  '/docs/*.md\n',
  'docs/*.md\n',
  'tests/\n',
  '/tests\n',
  'README.md/\n',
  '*.t?t\n',
  '[Rd]*\n',
  '[^Ctdv]*\n',
  '  a b.txt  \n',
  '!*\n*.md\n',
  '!*.yaml\n',
  '\ufeffREADME.md\n',
  'deep/README.md\n',
  '.*\n',
  'templates/sub/\r\ndocs/\r\n',
])('after the .helmignore %j the files are those that helm packages', async (rules) => {
  const chart = writeFiles({...TREE, '.helmignore': rules})

  const files = readChartFiles(chart)

  const packed = await readPackageFiles(readFileSync(await packageChart(chart)), 'demo')
  expect(files.map(({path}) => path)).toEqual(packed.map(({path}) => path))
})

describe('links', () => {
  it('are followed', () => {
    const shared = writeFiles({'a.conf': 'a'})
    const chart = writeFiles({'Chart.yaml': manifest('demo'), 'files/b.conf': 'b'})
    symlinkSync(shared, join(chart, 'files/shared'))
    symlinkSync(join(shared, 'a.conf'), join(chart, 'files/c.conf'))

    const files = readChartFiles(chart)

    expect(files.map(({path, bytes}) => [path, bytes.toString()])).toEqual([
      ['Chart.yaml', manifest('demo')],
      ['files/b.conf', 'b'],
      ['files/c.conf', 'a'],
      ['files/shared/a.conf', 'a'],
    ])
  })

  it.each([
    ['nowhere', 'nothing', /is a link to something that does not exist/],
    ['back', '..', /is a link to .*, which contains it/],
  ])('that lead %s are refused', (_, target, message) => {
    const chart = writeFiles({'Chart.yaml': manifest('demo'), 'files/a': ''})
    symlinkSync(target, join(chart, 'files/link'))

    expect(() => readChartFiles(chart)).toThrow(message)
  })
})

it.each([
  ['a/**/b', /\.helmignore:2: Helm does not support \*\*/],
  ['[a', /\.helmignore:2: the pattern "\[a" is malformed/],
])('the rule %s is refused, as by helm', (rule, message) => {
  const chart = writeFiles({'Chart.yaml': manifest('demo'), '.helmignore': `# rules\n${rule}\n`})

  expect(() => readChartFiles(chart)).toThrow(
    expect.objectContaining({code: 'KK_CHART', message: expect.stringMatching(message)}),
  )
})

it('rules that exclude Chart.yaml are refused with their file', () => {
  const directory = writeFiles({'Chart.yaml': manifest('demo'), '.helmignore': '!*.tpl\n'})

  expect(() => readOwnFiles(readChart(directory))).toThrow(
    expect.objectContaining({
      code: 'KK_CHART',
      message: expect.stringContaining(`${directory}/.helmignore excludes`),
    }),
  )
})

it('a file above 5 MiB is refused unless it is excluded', () => {
  const big = 'x'.repeat(5 * 1024 * 1024 + 1)
  const chart = writeFiles({'Chart.yaml': manifest('demo'), 'image.bin': big})
  const spared = writeFiles({'Chart.yaml': manifest('demo'), 'image.bin': big, '.helmignore': '*.bin'})

  expect(() => readChartFiles(chart)).toThrow(/image.bin has 5242881 bytes/)
  expect(readChartFiles(spared).map(({path}) => path)).toEqual(['.helmignore', 'Chart.yaml'])
})
