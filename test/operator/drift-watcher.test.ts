import {expect, it} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import type {EnvironmentObject} from '../../src/operator/crds/environment.ts'
import {type DriftPorts, newDriftWatcher} from '../../src/operator/drift-watcher.ts'
import type {DriftedObject} from '../../src/plan/drift/drifted-object.ts'
import type {IgnoreRule} from '../../src/plan/drift/ignored.ts'
import type {Prepared} from '../../src/prepare/prepare.ts'
import type {ReleaseDrift} from '../../src/verbs/observation/drift.ts'

const MINUTE = 60_000
const PREPARED = {} as Prepared

const CHANGED: DriftedObject = {
  ...{kind: 'Deployment', name: 'api', namespace: 'openstack', state: 'changed'},
  fields: [{path: 'spec.replicas', live: 3, manifest: 1, manager: 'kubectl'}],
}
const GONE: DriftedObject = {
  ...{kind: 'Service', name: 'api', namespace: 'openstack', state: 'gone', fields: []},
}

function driftOf(...objects: readonly DriftedObject[]): readonly ReleaseDrift[] {
  const nothing = {revision: 1, status: 'deployed', crds: [], leftovers: []}
  return [{release: 'openstack/api', ...nothing, objects}]
}

/** A watch of an environment whose drift, and whose time, the test sets. */
function watching(drift: EnvironmentObject['spec']['drift'], fault?: KkError) {
  const world = {now: 0, drifts: driftOf(), looks: 0, corrected: [] as string[], kept: [] as IgnoreRule[]}
  const watch = newDriftWatcher(() => world.now)
  const ports: DriftPorts = {
    async compare() {
      world.looks++
      return world.drifts
    },
    async correct(_, objects, ignore) {
      if (fault) throw fault
      world.kept.push(...ignore)
      world.corrected.push(...objects)
    },
  }
  const environment = (generation = 1): EnvironmentObject => ({
    metadata: {name: 'production', generation},
    spec: {source: {configMap: 'production'}, drift},
  })
  const look = (generation?: number) => watch.check(environment(generation), PREPARED, ports)
  return {watch, world, look}
}

it('drift is checked once an hour, and not when the operator has just started', async () => {
  const {watch, world, look} = watching(undefined)

  const first = await look()
  const due = watch.due('production')
  world.now = 59 * MINUTE
  await look()
  const early = world.looks
  world.now = 60 * MINUTE
  const found = await look()

  expect(first).toBeUndefined()
  expect(due).toBe(60 * MINUTE)
  expect(early).toBe(0)
  expect(found).toMatchObject({status: 'False', reason: 'AsDeployed'})
})

it('drift is reported with fields and field managers, and not corrected by default', async () => {
  const {world, look} = watching({mode: 'warn', every: '1m'})
  await look()
  world.now = MINUTE
  world.drifts = driftOf(CHANGED, GONE)

  const found = await look()

  expect(found).toMatchObject({type: 'Drifted', status: 'True', reason: 'Drifted'})
  expect(found?.message).toBe(
    'openstack/api Deployment/api spec.replicas (by kubectl); openstack/api Service/api is gone',
  )
  expect(world.corrected).toEqual([])
})

it('changed objects are corrected and checked again soon; deleted objects are only reported', async () => {
  const {watch, world, look} = watching({mode: 'correct'})
  await look()
  world.now = 60 * MINUTE
  world.drifts = driftOf(CHANGED)
  const corrected = await look()
  const due = watch.due('production')
  world.now += due
  world.drifts = driftOf(GONE)

  const gone = await look()

  expect(world.corrected).toEqual(['Deployment/api'])
  expect(corrected).toMatchObject({status: 'False', reason: 'Corrected'})
  expect(due).toBe(10_000)
  expect(gone).toMatchObject({status: 'True', reason: 'Drifted'})
})

it('a contested object is no longer corrected after five times, until the Environment changes', async () => {
  const {watch, world, look} = watching({mode: 'correct'})
  await look()
  world.drifts = driftOf(CHANGED)
  const reasons: (string | undefined)[] = []
  for (let round = 0; round < 7; round++) {
    world.now += watch.due('production')
    reasons.push((await look())?.reason)
  }
  const before = world.corrected.length
  await look(2)
  world.now += watch.due('production')
  const after = await look(2)

  expect(reasons).toEqual([...Array.from({length: 5}, () => 'Corrected'), 'Contested', 'Corrected'])
  expect(before).toBe(6)
  expect(after?.reason).toBe('Corrected')
})

it('a refused correction is reported, and does not fail the reconciliation', async () => {
  const {world, look} = watching({mode: 'correct'}, new KkError('KK_FORBIDDEN', 'may not patch deployments'))
  await look()
  world.now = 60 * MINUTE
  world.drifts = driftOf(CHANGED)

  expect(await look()).toMatchObject({
    status: 'True',
    reason: 'NotCorrected',
    message: 'may not patch deployments',
  })
})

const REPLICAS: IgnoreRule = {paths: ['/spec/replicas'], target: {kind: 'Deployment'}}

it('ignored fields are no drift, and are reported as ignored', async () => {
  const {world, look} = watching({mode: 'correct', every: '1m', ignore: [REPLICAS]})
  await look()
  world.now = MINUTE
  world.drifts = driftOf(CHANGED)

  const found = await look()

  expect(found).toMatchObject({status: 'False', reason: 'Ignored'})
  expect(found?.message).toBe(
    'every object is as its manifest says; ignored: openstack/api Deployment/api spec.replicas (by kubectl)',
  )
  expect(world.corrected).toEqual([])
})

it('an object with ignored and other fields is corrected except for the ignored ones', async () => {
  const {world, look} = watching({mode: 'correct', ignore: [REPLICAS]})
  await look()
  world.now = 60 * MINUTE
  world.drifts = driftOf({...CHANGED, fields: [...CHANGED.fields, {path: 'spec.paused', live: true}]})

  const found = await look()

  expect(found).toMatchObject({status: 'False', reason: 'Corrected'})
  expect(found?.message).toContain('ignored: openstack/api Deployment/api spec.replicas (by kubectl)')
  expect(world.corrected).toEqual(['Deployment/api'])
  expect(world.kept).toEqual([REPLICAS])
})

it('in the mode ignore no drift is checked', async () => {
  const {watch, world, look} = watching({mode: 'ignore'})
  await look()
  world.now = 600 * MINUTE

  await look()

  expect(world.looks).toBe(0)
  expect(watch.due('production')).toBe(Number.POSITIVE_INFINITY)
})
