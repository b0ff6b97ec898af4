import {describe, expect, it} from 'vitest'
import type {RunEntry} from '../../src/kubernetes/records/run-entry.ts'
import {palette} from '../../src/report/colour.ts'
import {revisionsText, runsText} from '../../src/report/history-text.ts'
import {viewText} from '../../src/report/text/view.ts'
import {runRecord, runRelease} from '../kubernetes/support/run-record.ts'

const PLAIN = palette(0)

const NEW = {kind: 'install', before: 0, gatedBefore: 0} as const
const RUN: RunEntry = {
  ...runRecord({
    id: '20261121-083000-3f9a',
    message: 'more\napi servers',
    startedAt: '2026-11-21T08:30:00.123Z',
    outcome: 'failed',
    releases: [
      runRelease('mariadb', {...NEW, after: 1, outcome: 'succeeded'}),
      runRelease('keystone', {...NEW, outcome: 'failed'}),
    ],
  }),
  state: 'failed',
}

describe('kk history', () => {
  it('shows one run per line: user, time, message and outcome', () => {
    expect(viewText(runsText([RUN], PLAIN)).split('\n')).toEqual([
      'run                   when                  verb    who            outcome  releases               why',
      '20261121-083000-3f9a  2026-11-21 08:30:00Z  deploy  operator@host  failed   1 succeeded, 1 failed  more api servers',
      '',
    ])
  })

  it('names the environments if there are several', () => {
    const other = {...RUN, environment: 'edge'}

    expect(viewText(runsText([RUN, other], PLAIN))).toMatch(/environment .*\n.* all-in-one .*\n.* edge /)
  })

  it('reports that there are no runs', () => {
    expect(viewText(runsText([], PLAIN))).toBe('no runs\n')
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

    const text = viewText(
      revisionsText({release: 'openstack/keystone', owner: 'all-in-one', revisions}, PLAIN),
    )

    expect(text.split('\n')).toEqual([
      'openstack/keystone  environment all-in-one',
      'revision  when                  status      gate    chart                      app version  run',
      '      10  2026-11-21 07:30:05Z  deployed    passed  keystone 0.1.0             2025.1       r1',
      '       9  –                     superseded  –       its record cannot be read  –            –',
      '',
    ])
  })
})
