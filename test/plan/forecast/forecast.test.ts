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
  return forecast({actions, manifests: new Map([[RELEASE, {before, after}]]), records})[0]!
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

  expect(totalSeconds(foreseen, {isSequential: true})).toBe(55)
  expect(totalSeconds(foreseen, {isSequential: false})).toBe(30)
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
