import {expect, it} from 'vitest'
import {jsonReport} from '../../../src/report/files/json.ts'
import {brokenRun} from '../support/all-in-one.ts'
import {brokenOff, stateOf} from './support/state-of.ts'

it('the JSON report is the document of --output json with times of the run, the releases and their phases', () => {
  const report = JSON.parse(jsonReport(stateOf(brokenRun())))

  expect(report).toMatchObject({
    run: '20261120-120000',
    environment: 'all-in-one',
    context: 'kk-sandbox',
    outcome: 'failed',
    startedAt: '2026-11-20T12:00:00.000Z',
    endedAt: '2026-11-20T12:00:40.000Z',
    seconds: 40,
  })
  expect(report.releases.at(3)).toMatchObject({
    release: 'openstack/keystone',
    kind: 'install',
    requires: ['openstack/mariadb', 'openstack/memcached', 'openstack/rabbitmq'],
    state: 'failed',
    seconds: 28,
    startedAt: '2026-11-20T12:00:12.000Z',
    endedAt: '2026-11-20T12:00:40.000Z',
    phases: [{phase: 'gate', startedAt: '2026-11-20T12:00:14.000Z', seconds: 26}],
    error: {code: 'KK_UNHEALTHY'},
  })
  expect(report.releases.at(4)).toMatchObject({state: 'skipped', because: 'openstack/keystone'})
  expect(report.releases.at(4)).not.toHaveProperty('startedAt')
})

it('the JSON report of a run without a known end is marked as interrupted', () => {
  const {outcome, seconds, releases} = JSON.parse(jsonReport(stateOf(brokenOff())))

  expect({outcome, seconds}).toEqual({outcome: 'broken-off', seconds: 3})
  expect(releases[0].phases).toEqual([{phase: 'helm', startedAt: '2026-11-20T12:00:01.000Z'}])
})
