import {describe, expect, it} from 'vitest'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import type {RunRelease} from '../../../src/kubernetes/records/runs.ts'
import {forecast, isUnexpected, totalSeconds} from '../../../src/plan/forecast/forecast.ts'
import {runRelease} from '../../kubernetes/support/run-record.ts'
import {planOf} from '../../run/plan-of.ts'

const RELEASE = 'openstack/keystone'

function deployment(image: string, annotations?: object | null): KubernetesObject {
  const template = {
    metadata: {...(annotations !== undefined && {annotations})},
    spec: {containers: [{name: 'main', image}]},
  }
  return {apiVersion: 'apps/v1', kind: 'Deployment', metadata: {name: 'api'}, spec: {template}}
}

const migration = (name: string): KubernetesObject => ({
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {name, annotations: {'kk.openstack.org/migration': 'true'}},
  spec: {template: {spec: {containers: [{name: 'main', image: name}]}}},
})

interface Case {
  readonly before: readonly KubernetesObject[]
  readonly after: readonly KubernetesObject[]
  readonly past?: readonly Partial<RunRelease>[]
  readonly kind?: 'install' | 'upgrade'
}

function forecastOf({before, after, past = [], kind = 'upgrade'}: Case) {
  const {actions} = planOf({keystone: []}, {keystone: kind})
  const records = past.map((each) => ({
    releases: [runRelease('keystone', {kind: 'upgrade', outcome: 'succeeded', ...each})],
  }))
  return forecast({
    actions,
    manifests: new Map([[RELEASE, {earlier: before.length > 0 ? [before] : [], after}]]),
    records,
  })[0]!
}

const NEW_IMAGE = {before: [deployment('one')], after: [deployment('two')]}
const NEW_VALUES = {before: [deployment('one')], after: [deployment('one', {hash: 'b'})]}

describe('how long an action takes', () => {
  it('is the median of the last five like it', () => {
    const past = [50, 10, 40, 20, 30, 1000].map((seconds) => ({seconds, replacesImages: true}))

    expect(forecastOf({...NEW_IMAGE, past})).toMatchObject({seconds: 30, runs: 5, replacesImages: true})
    expect(forecastOf({...NEW_IMAGE, past: past.slice(0, 2)})).toMatchObject({seconds: 30, runs: 2})
  })

  it.each<[string, Partial<RunRelease>]>([
    ['failed', {seconds: 40, replacesImages: true, outcome: 'failed'}],
    ['replaced no image', {seconds: 40}],
    ['was an installation', {seconds: 40, replacesImages: true, kind: 'install'}],
    ['was of an older kk, which measured nothing', {replacesImages: true}],
  ])('does not follow from a run that %s', (_, past) => {
    expect(forecastOf({...NEW_IMAGE, past: [past]}).runs).toBe(0)
  })

  it('is estimated by helm, images, Jobs and pods without an earlier run', () => {
    const stable = {'kk.openstack.org/stable-after': '200s'}

    expect(forecastOf({before: [deployment('one')], after: [deployment('one')]}).seconds).toBe(8)
    expect(forecastOf(NEW_VALUES).seconds).toBe(8 + 10)
    expect(forecastOf({...NEW_VALUES, after: [deployment('one', null)]}).seconds).toBe(8 + 10)
    expect(forecastOf(NEW_IMAGE).seconds).toBe(8 + 20 + 10)
    expect(forecastOf({...NEW_IMAGE, after: [deployment('two', stable)]}).seconds).toBe(8 + 20 + 10 + 200)
    expect(
      forecastOf({before: [], after: [deployment('two'), migration('m')], kind: 'install'}).seconds,
    ).toBe(8 + 20 + 15 + 10)
  })
})

it('an upgrade names the migrations from which on there is no way back, an installation none', () => {
  const after = [deployment('two'), migration('db-sync-2')]

  expect(forecastOf({before: [deployment('one'), migration('db-sync-1')], after}).migrations).toEqual([
    'db-sync-2',
  ])
  expect(forecastOf({before: [], after, kind: 'install'})).toMatchObject({
    migrations: [],
    users: {impact: 'none'},
  })
})

it('is the most of all revisions that may be running, because the last one has failed', () => {
  const {actions} = planOf({keystone: []}, {keystone: 'upgrade'})
  const set = (image: string) => ({...deployment(image), kind: 'StatefulSet'})
  const earlier = [[set('two')], [set('one')]]

  const [of] = forecast({
    actions,
    manifests: new Map([[RELEASE, {earlier, after: [set('one')]}]]),
    records: [],
  })

  expect(of).toMatchObject({users: {impact: 'brief'}, replacesImages: true})
})

it('is not known where drift is reset, which no manifest shows', () => {
  const {actions} = planOf({keystone: []}, {keystone: 'upgrade'})
  const drifted = actions.map((action) => ({...action, reasons: ['drifted: Deployment/api spec.replicas']}))
  const after = [deployment('one')]

  const [of] = forecast({
    actions: drifted,
    manifests: new Map([[RELEASE, {earlier: [after], after}]]),
    records: [],
  })

  expect(of).toMatchObject({users: {impact: 'unknown'}, instances: {impact: 'unknown'}})
})

it('an estimate counts members of a StatefulSet, and is of one node of a DaemonSet', () => {
  const of = (kind: string, image: string) => ({
    ...deployment(image),
    kind,
    spec: {...(deployment(image).spec as object), replicas: 3},
  })

  expect(forecastOf({before: [of('StatefulSet', 'one')], after: [of('StatefulSet', 'two')]})).toMatchObject({
    seconds: 8 + 20 + 30,
  })
  expect(forecastOf({before: [of('DaemonSet', 'one')], after: [of('DaemonSet', 'two')]})).toMatchObject({
    seconds: 8 + 20 + 10,
    perNode: true,
  })
})

it('releases without a new revision are not part of it', () => {
  const {actions} = planOf({keystone: []}, {keystone: 'check'})

  expect(forecast({actions, manifests: new Map(), records: []})).toEqual([])
})

it('a plan takes the sum of its actions one after the other, and else its longest path', () => {
  const plan = planOf({db: [], keystone: ['db'], horizon: []})
  const seconds = {'openstack/db': 10, 'openstack/keystone': 20, 'openstack/horizon': 25}
  const all = Object.entries(seconds).map(([release, each]) => ({
    ...forecastOf(NEW_IMAGE),
    release: release as typeof RELEASE,
    seconds: each,
  }))
  const foreseen = {...plan, forecast: all}

  expect(totalSeconds(foreseen, {concurrency: 2, startCondition: 'gate'})).toBe(35)
  expect(totalSeconds(foreseen, {concurrency: 1, startCondition: 'gate'})).toBe(55)
  expect(totalSeconds(foreseen, {concurrency: 8, startCondition: 'helm'})).toBe(30)
})

it.each([
  [100, 125, false],
  [100, 126, true],
  [100, 74, true],
  [8, 18, false],
  [8, 19, true],
])('of %i expected seconds, %i are unexpected: %s', (seconds, took, unexpected) => {
  expect(isUnexpected({seconds}, took)).toBe(unexpected)
})
