import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {load} from 'js-yaml'
import {expect, it} from 'vitest'
import {LuaFactory} from 'wasmoon'
import {KkError} from '../../src/base/errors.ts'
import {type EnvironmentState, environmentConditions} from '../../src/operator/condition-inputs.ts'
import {mergeConditions} from '../../src/operator/crds/conditions.ts'
import {NO_RUN} from '../../src/run/run-state.ts'
import {planOf} from '../run/plan-of.ts'
import {plannedOf} from './planned-of.ts'

const planned = plannedOf(planOf({keystone: []}, {keystone: 'upgrade'}))
const error = new KkError('KK_YAML', 'line 1 is no YAML')

/** The entry of the page on operators, by which Argo CD judges an Environment. */
async function check(): Promise<string> {
  const page = await readFile(join(import.meta.dirname, '../../docs/operators.md'), 'utf8')
  const [, block] = /```yaml\n(resource\.customizations\.health\.[^`]*)```/.exec(page)!
  return Object.values(load(block!) as Record<string, string>)[0]!
}

/** Data as Lua writes it. */
function luaOf(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `{${value.map(luaOf).join(', ')}}`
  return `{${Object.entries(value)
    .map(([key, each]) => `[${JSON.stringify(key)}] = ${luaOf(each)}`)
    .join(', ')}}`
}

async function judged(object: object): Promise<readonly string[]> {
  const lua = await new LuaFactory().createEngine()
  try {
    const health = await lua.doString(`obj = ${luaOf(object)}\n${await check()}`)
    return [health.status, health.message]
  } finally {
    lua.global.close()
  }
}

const environment = (phase: EnvironmentState, generation = 2) => ({
  metadata: {name: 'production', generation},
  status: {
    observedGeneration: 2,
    conditions: mergeConditions(
      environmentConditions('production', phase),
      {},
      {generation: 2, now: '2026-11-23T08:00:00Z'},
    ),
  },
})
const DEPLOYED: EnvironmentState = {kind: 'deployed', planned, releases: [], source: 's'}

it.each<[string, EnvironmentState, string, string]>([
  ['deployed', DEPLOYED, 'Healthy', 'every release is healthy'],
  ['being deployed', {kind: 'running', planned, run: NO_RUN}, 'Progressing', 'a run is in progress'],
  [
    'waiting for an approval',
    {kind: 'unapproved', planned, actions: [], releases: []},
    'Progressing',
    'kk operator approve',
  ],
  ['paused', {kind: 'paused'}, 'Suspended', 'the operator changes nothing'],
  [
    'held',
    {kind: 'held', planned, failure: 'openstack/keystone has failed', releases: []},
    'Degraded',
    'keystone has failed',
  ],
  ['not planned', {kind: 'unplanned', error, isFinal: true}, 'Degraded', 'line 1 is no YAML'],
])('Argo CD reads the health of an Environment that is %s', async (_, phase, status, message) => {
  expect(await judged(environment(phase))).toEqual([status, expect.stringContaining(message)])
})

it('Argo CD waits until the operator has observed a new generation', async () => {
  const progressing = ['Progressing', 'the operator has not seen it yet']

  expect(await judged(environment(DEPLOYED, 3))).toEqual(progressing)
  expect(await judged({metadata: {name: 'production', generation: 1}})).toEqual(progressing)
})
