import {describe, expect, it} from 'vitest'
import {palette} from '../../src/report/colour.ts'
import {revisionsText, runsText} from '../../src/report/history-text.ts'
import type {RunEntry} from '../../src/verbs/observation/history.ts'

const PLAIN = palette(0)

const RUN: RunEntry = {
  id: '20261121-083000-3f9a',
  environment: 'all-in-one',
  file: 'all-in-one.yaml',
  verb: 'deploy',
  scope: {names: [], install: true},
  who: 'operator@host',
  process: {host: 'host', pid: 1},
  message: 'more\napi servers',
  startedAt: '2026-11-21T08:30:00.123Z',
  outcome: 'failed',
  state: 'failed',
  releases: [
    {
      release: 'openstack/mariadb',
      kind: 'install',
      before: 0,
      gatedBefore: 0,
      after: 1,
      inputs: '',
      outcome: 'succeeded',
    },
    {
      release: 'openstack/keystone',
      kind: 'install',
      before: 0,
      gatedBefore: 0,
      inputs: '',
      outcome: 'failed',
    },
  ],
}

describe('kk history', () => {
  it('shows one run per line: who, when, why and what came of it', () => {
    expect(runsText([RUN], PLAIN).split('\n')).toEqual([
      'run                   when                  verb    who            outcome  releases               why',
      '20261121-083000-3f9a  2026-11-21 08:30:00Z  deploy  operator@host  failed   1 succeeded, 1 failed  more api servers',
      '',
    ])
  })

  it('names the environments when there are several', () => {
    const other = {...RUN, environment: 'edge'}

    expect(runsText([RUN, other], PLAIN)).toMatch(/environment .*\n.* all-in-one .*\n.* edge /)
  })

  it('says that there are none', () => {
    expect(runsText([], PLAIN)).toBe('no runs\n')
  })
})

describe('kk history of a release', () => {
  it('shows one revision per line', () => {
    const revision = {
      status: 'deployed',
      gate: 'passed',
      chart: 'keystone',
      version: '0.1.0',
      appVersion: '2025.1',
      at: '2026-11-21T08:30:05.1+01:00',
      run: 'r1',
    } as const
    const broken = {
      ...revision,
      status: 'superseded',
      gate: 'unknown',
      at: undefined,
      run: undefined,
      appVersion: '',
      note: 'its record cannot be read',
    } as const
    const revisions = [
      {revision: 10, ...revision},
      {revision: 9, ...broken},
    ]

    const text = revisionsText({release: 'openstack/keystone', owner: 'all-in-one', revisions}, PLAIN)

    expect(text.split('\n')).toEqual([
      'openstack/keystone  environment all-in-one',
      'revision  when                  status      gate    chart                      app version  run',
      '      10  2026-11-21 07:30:05Z  deployed    passed  keystone 0.1.0             2025.1       r1',
      '       9  –                     superseded  –       its record cannot be read  –            –',
      '',
    ])
  })
})
