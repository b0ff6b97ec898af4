import {readdirSync, readFileSync} from 'node:fs'
import {describe, expect, it} from 'vitest'
import {readOwnCharts} from '../../scripts/charts/read-charts.ts'
import {isRecent} from '../../scripts/toolbox/go.ts'
import {supportedVersion} from '../../src/helm/version.ts'
import {OLDEST_KUBERNETES} from '../../src/kubernetes/api/identity.ts'
import {readPages} from './support/pages.ts'

const pages = readPages()
const textOf = (path: string) => pages.find((page) => page.path === path)!.text

/** Every version that the pages state in words like these; the pattern's first group is the version. */
function stated(pattern: RegExp): readonly string[] {
  const all = pages.filter(({path}) => path !== 'CHANGELOG.md')
  return [...new Set(all.flatMap(({text}) => [...text.matchAll(pattern)].map(([, version = '']) => version)))]
}

describe('the pages state the requirements of kk', () => {
  it('of Kubernetes', () => {
    expect(stated(/Kubernetes \|? ?(\d+\.\d+) (?:or|and) newer/g)).toEqual([OLDEST_KUBERNETES])
  })

  it('of the charts, too', () => {
    const charts = readdirSync('charts').filter((name) => name !== 'values_overrides')
    const manifests = charts.map((name) => readFileSync(`charts/${name}/Chart.yaml`, 'utf8'))

    for (const manifest of manifests) expect(manifest).toContain(`kubeVersion: ">=${OLDEST_KUBERNETES}.0-0"`)
  })

  it('of helm', () => {
    const [oldest, ...others] = stated(/\b(3\.\d+) (?:or|and) newer/g)
    const before = `v3.${Number(oldest!.slice(2)) - 1}.9`

    expect(others).toEqual([])
    expect(supportedVersion(`v${oldest}.0`, 'helm')).toMatchObject({major: 3})
    expect(() => supportedVersion(before, 'helm')).toThrow('kk needs helm')
    expect(supportedVersion('v4.0.0', 'helm')).toMatchObject({major: 4})
  })

  it('of Go', () => {
    const [oldest, ...others] = stated(/Go >= (\d+\.\d+)/g)
    const [major, minor] = oldest!.split('.').map(Number)

    expect(others).toEqual([])
    expect(isRecent(`go${oldest}.0`)).toBe(true)
    expect(isRecent(`go${major}.${minor! - 1}.9`)).toBe(false)
  })

  it('of Node', () => {
    const {engines} = JSON.parse(readFileSync('package.json', 'utf8')) as {engines: {node: string}}

    expect(stated(/Node >= (\d+)/g).map((version) => `>=${version}`)).toEqual([engines.node])
  })
})

it('docs/architecture.md shows every folder of src', () => {
  const folders = readdirSync('src', {withFileTypes: true}).filter((entry) => entry.isDirectory())
  const missing = folders
    .map(({name}) => `src/${name}/`)
    .filter((name) => !textOf('docs/architecture.md').includes(`| \`${name}\` |`))

  expect(missing).toEqual([])
})

it('README states the number of services of the table', () => {
  const services = textOf('docs/services.md').match(/^\| \*\*/gm) ?? []

  expect(textOf('README.md')).toContain(`[${services.length} services](docs/services.md)`)
})

it('every npm script that the pages name exists', () => {
  const {scripts} = JSON.parse(readFileSync('package.json', 'utf8')) as {scripts: Record<string, string>}
  const named = stated(/npm run ([a-z0-9]+)/g)

  expect(named.filter((name) => !(name in scripts))).toEqual([])
})

it('every environment that the pages deploy exists, except those that a reader creates', () => {
  const made = ['lab', 'mine', 'production', 'rating'].map((name) => `${name}.yaml`)

  const others = stated(/environments\/([a-z0-9-]+\.yaml)/g).filter((name) => !made.includes(name))

  expect(others.filter((name) => !readdirSync('environments').includes(name))).toEqual([])
})

it('every error code that the pages name exists', async () => {
  const {ERRORS} = await import('../../src/base/errors.ts')
  const variables = [
    'KK_BENCH_SHARE',
    'KK_NO_CACHE',
    'KK_ENVIRONMENT',
    'KK_CONTEXT',
    'KK_HELM',
    'KK_IMAGES',
    'KK_NODE',
    'KK_PLUGINS',
    'KK_SERVER_TOKEN',
    'KK_STORE_KEY_FILE',
    'KK_TOOLBOX',
    'KK_TOOLBOX_ARCHIVES',
    'KK_OPERATION',
    'KK_TEST_HELM',
    'KK_TEST_KEEP_NODE',
    'KK_TEST_NIGHT',
    'KK_TEST_SEED',
    'KK_TOKEN',
    'KK_TOKEN_FILE',
  ]
  const named = stated(/\b(KK_[A-Z_]+)\b/g)

  expect(named.filter((name) => !(name in ERRORS) && !variables.includes(name))).toEqual([])
})

it('docs/permissions.md names each command in one row of its table', () => {
  const [, rows = ''] = /<!-- made: verbs -->([\s\S]+?)<!-- end -->/.exec(textOf('docs/permissions.md'))!
  const named = [...rows.matchAll(/`([^`]+)`/g)].map(([, command = '']) => command)

  expect(named.length).toBeGreaterThan(30)
  expect(named.filter((command, index) => named.indexOf(command) !== index)).toEqual([])
})

it('docs/upgrading-openstack.md names each migration of a service that is upgraded', () => {
  const rows = [...textOf('docs/upgrading-openstack.md').matchAll(/^\| (.*?) \|(.*)\|$/gm)]
  const upgraded = readOwnCharts().filter(
    ({directory}) => !readFileSync(`${directory}/Chart.yaml`, 'utf8').includes('deprecated: true'),
  )
  const missing = upgraded.flatMap(({name, values}) => {
    const [, , jobs = ''] = rows.find(([, services]) => services!.split(', ').includes(name)) ?? []
    const migrations = Object.entries(values.jobs ?? {}).filter(([, job]) => job.migration)
    return migrations
      .map(([job]) => `${name} ${job}`)
      .filter((each) => !jobs.includes(`\`${each.split(' ')[1]}\``))
  })

  expect(missing).toEqual([])
})
