import {expect, it} from 'vitest'
import type {ActionForecast} from '../../../src/plan/forecast/action-forecast.ts'
import {palette} from '../../../src/report/colour.ts'
import {forecastText} from '../../../src/report/plan/forecast-text.ts'
import {planDocument} from '../../../src/report/plan/plan-json.ts'
import {viewText} from '../../../src/report/text/view.ts'
import {announcedRun} from '../../../src/run/ledger.ts'
import {planOf} from '../../run/plan-of.ts'

const NOTHING: Omit<ActionForecast, 'release'> = {
  seconds: 20,
  runs: 0,
  users: {impact: 'none', why: []},
  instances: {impact: 'none', why: []},
  migrations: [],
  replacesImages: true,
}

const SEQUENTIAL = {concurrency: 1, startCondition: 'gate'} as const

function text(forecast: readonly ActionForecast[], kind: 'install' | 'upgrade', isRequested = false): string {
  const plan = planOf({keystone: [], nova: ['keystone']}, {keystone: kind, nova: kind})
  return viewText(forecastText({...plan, forecast}, palette(0), {...SEQUENTIAL, isRequested}))
}

it('has the time of each action, who notices what and why, and all of it', () => {
  const forecast: readonly ActionForecast[] = [
    {...NOTHING, release: 'openstack/keystone', runs: 2, migrations: ['keystone-db-sync']},
    {
      ...NOTHING,
      release: 'openstack/nova',
      seconds: 200,
      users: {impact: 'outage', why: ['Deployment api: no pod of it runs']},
      instances: {impact: 'unknown', why: ['DaemonSet agent: does not state it']},
    },
  ]

  expect(text(forecast, 'upgrade')).toMatchInlineSnapshot(`
    "WHAT IT TAKES  TIME            USERS   INSTANCES  NO WAY BACK
    keystone       20 s            -       -          from its first migration
    nova           about 3 m 20 s  outage  not known  -
    nova, users: outage: Deployment api: no pod of it runs
    nova, instances: not known: DaemonSet agent: does not state it
    about 3 m 40 s in all
    "about" is an estimate, because no earlier run that did the same is known
    "
  `)
})

it('says of an estimate of one node that it is one, and so do the plan and the run as documents', () => {
  const forecast = [{...NOTHING, release: 'openstack/nova', perNode: true} as const]
  const plan = {...planOf({nova: []}, {nova: 'upgrade'}), forecast}

  const started = announcedRun('r1', plan, 0)

  expect(text(forecast, 'upgrade')).toMatch(/nova +at least 20 s.*\nat least 20 s in all\n/s)
  expect(planDocument(plan).forecast).toEqual(forecast)
  expect(started).toMatchObject({actions: [{expected: {seconds: 20, runs: 0, perNode: true}}]})
})

it('calls nothing an estimate that earlier runs have shown', () => {
  const forecast = [{...NOTHING, release: 'openstack/keystone', runs: 1} as const]

  expect(text(forecast, 'upgrade')).toMatchInlineSnapshot(`
    "WHAT IT TAKES  TIME  USERS  INSTANCES
    keystone       20 s  -      -
    20 s in all
    "
  `)
})

it('is empty for first installs, unless earlier runs are known', () => {
  const release = 'openstack/keystone'

  expect(text([{...NOTHING, release}], 'install')).toBe('')
  expect(text([{...NOTHING, release, runs: 1}], 'install')).toContain('keystone')
  expect(text([], 'upgrade')).toBe('')
})
