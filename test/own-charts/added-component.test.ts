import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {load} from 'js-yaml'
import {expect, it} from 'vitest'
import {useCharts} from './support/charts.ts'
import {find} from './support/objects.ts'

const charts = await useCharts()
const PAGE = readFileSync(join(import.meta.dirname, '../../docs/chart-values.md'), 'utf8')
const [, block = ''] = /```yaml\n(neutron:\n {2}components:\n.*?)```/s.exec(PAGE) ?? []
const {neutron} = load(block) as {readonly neutron: object}

it('the agent that docs/chart-values.md adds to neutron has its pods and its file', async () => {
  const objects = await charts.render('neutron', {values: neutron})

  const agent = find(objects, 'DaemonSet', 'neutron-sriov-agent')
  expect(JSON.stringify(agent)).toContain('"image":"registry.example.org/neutron-sriov-agent:1"')
  const files = find(objects, 'ConfigMap', 'neutron-etc').data!
  expect(files['sriov_agent.ini']).toContain('physical_device_mappings = physnet2:ens3f0')
})
