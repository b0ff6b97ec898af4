import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {load} from 'js-yaml'
import {expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import type {Values} from '../../src/base/values.ts'
import {blocksOf} from '../docs/support/pages.ts'
import {GIVEN, useCharts} from './support/charts.ts'
import {find, ofKind} from './support/objects.ts'

const charts = await useCharts()
const path = 'docs/node-groups.md'
const blocks = blocksOf({path, text: readFileSync(join(import.meta.dirname, '../..', path), 'utf8')})
const [example] = blocks.filter(({info}) => info === 'yaml')
const [sets, nova] = blocks.filter(({info}) => info === 'text')
const {global, ...sections} = load(example!.text) as Readonly<Record<string, Values>>

async function render(chart: string) {
  return charts.render(chart, {global: mergeValues(GIVEN, global!), values: sections[chart]!})
}

it('the example of docs/node-groups.md has the DaemonSets that the page lists', async () => {
  const objects = (await Promise.all(['nova', 'libvirt', 'ovn'].map(render))).flat()

  const listed = [...sets!.text.matchAll(/^DaemonSet (\S+)/gm)].map(([, name]) => name)
  expect(ofKind(objects, 'DaemonSet').map(({metadata}) => metadata.name)).toEqual(listed)
})

it('the example of docs/node-groups.md has the configuration that the page shows', async () => {
  const files = find(await render('nova'), 'ConfigMap', 'nova-etc').data!

  for (const section of nova!.text.trim().split('\n\n')) {
    const [name = '', ...options] = section.split('\n')
    const [, rendered = ''] = files['pinned.nova.conf']!.split(`${name}\n`)
    expect(rendered.split('\n\n')[0]?.split('\n')).toEqual(expect.arrayContaining(options))
  }
  expect(files['gpu.nova.conf']).toContain('device_spec = {"vendor_id": "10de", "product_id": "20b5"}\n')
  expect(files['cmp7.nova.conf']).toContain('device_spec = {"address": "0000:41:00.0"}\n')
  expect(files['nova.conf']).toContain('alias = {"name": "a100", "vendor_id": "10de", "product_id": "20b5"')
  expect(files['nova.conf']).not.toContain('device_spec')
})

it('the example of docs/node-groups.md mounts hugepages, and has another interface for tunnels', async () => {
  const pods = ofKind(await render('libvirt'), 'DaemonSet').map(({spec}) => JSON.stringify(spec))
  const files = find(await render('ovn'), 'ConfigMap', 'ovn-etc').data!

  expect(pods.map((pod) => pod.includes('/dev/hugepages'))).toEqual([false, true])
  expect(files['gpu.chassis.json']).toContain('"tunnel_interface": "ens3f1"')
})
