import {join} from 'node:path'
import {expect, it} from 'vitest'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import {makeNamespace} from './support/cluster.ts'
import {emptyCorner} from './support/corner.ts'
import {plainHelm} from './support/plain-helm.ts'

const CHARTS = join(import.meta.dirname, '../fixtures/unannotated')

it('releases of plain helm are imported, adopted, and not upgraded without a difference', async () => {
  const namespace = await makeNamespace('import')
  for (const [name, values] of [
    ['operator', {note: 'kept'}],
    // It asks whether the cluster has the kind that the operator defines.
    ['cache', {}],
  ] as const) {
    const words = ['install', name, join(CHARTS, name), '--namespace', namespace, '--values', '-']
    const {exitCode, stderr} = await plainHelm(words, {input: JSON.stringify(values)})
    expect(exitCode, stderr).toBe(0)
  }
  const corner = await emptyCorner('import')
  const words = ['import', '--name', corner.name, '--namespace', namespace, '--charts', CHARTS]

  const imported = await corner.kk([...words, '--file', 'cloud.yaml'])
  const adopted = await corner.kk(['adopt', 'operator', 'cache', 'cloud.yaml', '--yes'])
  const plan = await corner.kk(['plan', 'cloud.yaml', '--output', 'json'])
  const deployed = await corner.kk(['deploy', 'cloud.yaml'])

  expect(imported.exitCode, imported.stderr).toBe(0)
  expect(adopted.exitCode, adopted.stderr).toBe(0)
  const {actions} = JSON.parse(plan.stdout) as PlanDocument
  expect(actions.map(({release, kind}) => `${release.split('/')[1]} ${kind}`)).toEqual([
    'operator await',
    'cache await',
  ])
  expect(imported.stderr).toBe('')
  expect(deployed.exitCode, deployed.stderr).toBe(0)
  const {stdout} = await plainHelm(['list', '--namespace', namespace, '--output', 'json'])
  expect((JSON.parse(stdout) as {revision: string}[]).map(({revision}) => revision)).toEqual(['1', '1'])
})
