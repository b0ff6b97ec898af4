import {mkdirSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {readEnvironment} from '../../../src/environment/read.ts'
import {importHelmfile} from '../../../src/exchange/helmfile/read.ts'
import {environmentText} from '../../../src/report/import/environment-text.ts'
import {testDirectory} from '../../support/test-directory.ts'

const directory = testDirectory()
mkdirSync(join(directory, 'bare'))
writeFileSync(join(directory, 'bare/Chart.yaml'), '')

const repositories = [
  {name: 'shop', url: 'https://charts.example.org'},
  {name: 'bucket', url: 's3://charts/stable'},
  {name: 'registry', url: 'registry.example.org:5000/charts/', oci: true},
]

/** A release of this chart, as kk reads the environment that is made of it. */
function made(chart: string, version?: string) {
  const release = {name: 'web', chart, ...(version !== undefined && {version})}
  const imported = importHelmfile({
    file: join(directory, 'helmfile.yaml'),
    text: JSON.stringify({repositories, releases: [release]}),
    isBuilt: true,
    showSecrets: false,
    name: 'shop',
  })
  const read = readEnvironment({file: 'shop.yaml', text: environmentText(imported), directory})
  return {sources: imported.charts, settings: read.releases.get('web'), lost: imported.lost}
}

it.each([
  ['./charts/web', ['./charts'], {}],
  ['./charts/api/', ['./charts'], {chart: 'api'}],
  ['bare', ['.'], {chart: 'bare'}],
  ['./thing-1.2.3.tgz', ['.'], {chart: 'thing', version: '1.2.3'}],
  ['../x/app-2-v1.0.0-rc.1+b.tgz', ['../x'], {chart: 'app-2', version: 'v1.0.0-rc.1+b'}],
  ['shop/redis', [{repository: 'https://charts.example.org'}], {chart: 'redis'}],
  ['registry/app', ['oci://registry.example.org:5000/charts'], {chart: 'app'}],
  ['registry/sub/app', ['oci://registry.example.org:5000/charts/sub'], {chart: 'app'}],
  ['oci://r.example.org/x/app', ['oci://r.example.org/x'], {chart: 'app'}],
  ['oci://r.example.org/x/app:1.2.3', ['oci://r.example.org/x'], {chart: 'app', version: '1.2.3'}],
  [
    'oci://r.example.org:5000/app:1.2.3_b1',
    ['oci://r.example.org:5000'],
    {chart: 'app', version: '1.2.3+b1'},
  ],
])('imports the chart %s', (chart, sources, settings) => {
  const found = made(chart)

  expect(found.sources).toEqual(sources)
  expect(found.settings ?? {}).toMatchObject(settings)
  expect(found.lost).toEqual([])
})

it.each([
  ['unknown/thing', {chart: 'thing'}],
  ['bucket/thing', {chart: 'thing'}],
  ['./thing.tgz', {chart: 'thing'}],
  ['oci://thing', {chart: 'thing'}],
  ['https://x.example.org/url-1.0.0.tgz', {chart: 'url', version: '1.0.0'}],
  ['git::https://git.example.org/x/y@charts/z?ref=v1', {chart: 'z'}],
])('has no source for the chart %s, and reports it', (chart, settings) => {
  const found = made(chart)

  expect(found.sources).toEqual([])
  expect(found.settings).toMatchObject(settings)
  expect(found.lost).toEqual([`the source of the chart ${chart} of web`])
})

it.each([
  ['oci://r.example.org/app:latest', 'latest'],
  ['oci://r.example.org/app@sha256:12ab', 'sha256:12ab'],
])('reports that %s selects the package without a version', (chart, unkept) => {
  const found = made(chart, '^1.2')

  expect(found.sources).toEqual(['oci://r.example.org'])
  expect(found.settings).toMatchObject({chart: 'app', version: '^1.2'})
  expect(found.lost).toEqual([`${unkept} of the chart of web: specify a version instead`])
})

it.each(['git::https://git.example.org/y@?ref=v1', './my chart', '/'])(
  'skips a release of "%s", which is not the name of a chart',
  (chart) => {
    const found = made(chart)

    expect(found.settings).toBeUndefined()
    expect(found.lost).toEqual([
      expect.stringMatching(/^default\/web is skipped: an environment expects the name of a chart, not "/),
    ])
  },
)
