import {readdirSync, readFileSync} from 'node:fs'
import {writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {execa} from 'execa'
import {load} from 'js-yaml'
import {describe, expect, it} from 'vitest'
import {madeOfCharts} from '../../scripts/charts.ts'
import {readChart} from '../../src/charts/read-chart.ts'
import {HELMS} from '../support/helms.ts'
import {atNight} from '../support/night.ts'
import {CHARTS, SERVICES, useCharts} from './support/charts.ts'
import {ofKind} from './support/objects.ts'

const charts = await useCharts()

describe('the library chart', () => {
  it('renders nothing in a chart that does not include its templates', async () => {
    const silent = await charts.copy('memcached', 'silent')
    await writeFile(join(silent, 'templates/memcached.yaml'), '')

    expect(await charts.text('silent')).toBe('')
  })
})

describe('all charts of services', () => {
  it.each(HELMS)('pass helm lint of %s', async (helm) => {
    expect(await charts.lint(SERVICES, {helm})).toBe('')
  })

  it('pass helm lint without any secrets', async () => {
    expect(await charts.lint(SERVICES, {global: {}})).toBe('')
  })
})

describe.each(SERVICES)('%s', (chart) => {
  it('depends only on the library', () => {
    const {dependencies} = load(readFileSync(join(CHARTS, chart, 'Chart.yaml'), 'utf8')) as {
      dependencies: object
    }

    expect(dependencies).toEqual([{name: 'common', version: '>=0.1.0', repository: 'file://../common'}])
  })

  it('has the recommended labels of Kubernetes on every object', async () => {
    for (const {kind, metadata} of await charts.render(chart)) {
      expect(metadata.labels, `${kind} ${metadata.name}`).toMatchObject({
        'app.kubernetes.io/name': chart,
        'app.kubernetes.io/instance': chart,
        'app.kubernetes.io/version': readChart(join(CHARTS, chart)).appVersion,
        'app.kubernetes.io/part-of': 'openstack',
        'app.kubernetes.io/managed-by': 'Helm',
      })
    }
  })

  atNight(() => {
    it.each(HELMS)('renders identically each time with %s, and as with helm 4', async (helm) => {
      const first = await charts.text(chart, {helm})

      expect(await charts.text(chart, {helm})).toBe(first)
      expect(await charts.render(chart, {helm})).toEqual(await charts.render(chart))
    })
  })
})

it.each(await madeOfCharts())('$path is generated from the current charts', ({path, text}) => {
  expect(readFileSync(path, 'utf8'), 'run: npm run charts').toBe(text)
})

it('no template calls a non-deterministic function, or renders values as templates', () => {
  const calls = /(?<![.\w"$-])(rand\w*|lookup|now|date\w*|uuidv4|gen[A-Z]\w*|tpl|derivePassword)(?= |\)|$)/
  const templates = readdirSync(CHARTS, {recursive: true, encoding: 'utf8'}).filter((file) =>
    /templates\/.*\.(tpl|yaml)$/.test(file),
  )

  const found = templates.flatMap((file) => {
    const actions = readFileSync(join(CHARTS, file), 'utf8')
      .replace(/\{\{-? ?\/\*.*?\*\/ ?-?\}\}/gs, '')
      .match(/\{\{.*?\}\}/gs)
    return (actions ?? []).filter((action) => calls.test(action)).map((action) => `${file}: ${action}`)
  })

  expect(templates.length).toBeGreaterThan(60)
  expect(found).toEqual([])
})

it.each(SERVICES)('the shell scripts of %s pass a bash syntax check', async (chart) => {
  const scripts = ofKind(await charts.render(chart), 'ConfigMap').flatMap(({data}) =>
    Object.entries(data ?? {}),
  )

  for (const [name, script] of scripts.filter(([name]) => name.endsWith('.sh'))) {
    const {stderr} = await execa('bash', ['-n'], {input: script, reject: false})
    expect(stderr, name).toBe('')
  }
})
