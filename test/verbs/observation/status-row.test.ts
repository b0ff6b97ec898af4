import {describe, expect, it} from 'vitest'
import type {ReleaseRecord} from '../../../src/kubernetes/records/release-record.ts'
import {EXPORTED_LABEL} from '../../../src/plan/labels.ts'
import {palette} from '../../../src/report/colour.ts'
import {statusText} from '../../../src/report/status/status-text.ts'
import {viewText} from '../../../src/report/text/view.ts'
import {type Payload, releaseStatus} from '../../../src/verbs/observation/status-row.ts'
import {graphOf} from '../../graph/graph-of.ts'
import {desiredOf, recordOf} from '../../plan/fixtures.ts'

const KEYSTONE = desiredOf('keystone')
const FLUX = {'helm.toolkit.fluxcd.io/name': 'keystone', 'helm.toolkit.fluxcd.io/namespace': 'flux-system'}

/** The record of a hand-over to flux, or of none. */
function recordAt(revision: number, tool?: string): ReleaseRecord {
  const record = recordOf(KEYSTONE, {revision, written: 2})
  return tool === undefined ? record : {...record, labels: {...record.labels, [EXPORTED_LABEL]: tool}}
}

function payloadWith(labels: Readonly<Record<string, string>>): Payload {
  return {
    chart: {name: 'keystone', version: '0.1.0'},
    facts: {readable: true, annotations: {}, namespaces: []},
    objects: [{apiVersion: 'v1', kind: 'Service', metadata: {name: 'keystone', labels}}],
    tests: {own: undefined, user: undefined, deployedAt: undefined},
    redact: (text) => text,
  }
}

function lineOf(record: ReleaseRecord, payload: Payload): string | undefined {
  const look = {
    owner: 'all-in-one',
    prepared: undefined,
    names: [],
    records: new Map([[record.release, record]]),
    leases: new Map(),
    graph: graphOf({keystone: []}),
    now: 0,
  }
  const row = {...releaseStatus(look, record.release, payload), health: {state: 'healthy'} as const}
  return viewText(statusText([row], palette(0)))
    .split('\n')
    .find((line) => line.startsWith('keystone: '))
}

it('the status has advice for a release whose last record was deleted', () => {
  const record = recordOf(KEYSTONE, {revision: 3, status: 'superseded'})

  expect(lineOf(record, payloadWith({}))).toBe(
    'keystone: the record of a later revision than 3 was deleted, so what runs is unknown; kk deploy upgrades it',
  )
})

describe('the status shows the maker of a release other than kk', () => {
  it.each([
    ['kk alone', recordAt(2), {}, undefined],
    ['a kk that was killed in a rollback', {...recordAt(3), copiedBy: 'r7'}, {}, undefined],
    [
      'another tool that manages it and made a revision',
      recordAt(5, 'flux'),
      FLUX,
      'keystone: handed over to flux, until kk adopt keystone takes it back: HelmRelease flux-system/keystone made revision 5',
    ],
    [
      'another tool that made no revision yet',
      recordAt(2, 'flux'),
      {},
      'keystone: handed over to flux, until kk adopt keystone takes it back: its last revision is still of kk',
    ],
    [
      'kk and Flux',
      recordAt(5),
      FLUX,
      'keystone: kk does not drive it alone: HelmRelease flux-system/keystone made revision 5',
    ],
    [
      'kk and plain helm',
      recordAt(3),
      {},
      'keystone: kk does not drive it alone: another helm made revision 3',
    ],
    [
      'Flux, of a release that kk did not install',
      {...recordAt(1), labels: {}},
      FLUX,
      'keystone: kk did not install it: HelmRelease flux-system/keystone made revision 1',
    ],
    ['plain helm, of a release that kk did not install', {...recordAt(1), labels: {}}, {}, undefined],
  ])('%s', (_, record, labels, line) => {
    expect(lineOf(record, payloadWith(labels))).toBe(line)
  })
})
