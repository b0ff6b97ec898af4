import {expect, test} from 'vitest'
import type {Operation} from '../../../src/kubernetes/lease/operation.ts'
import type {HelmProcess, LeaseView} from '../../../src/kubernetes/lease/view.ts'
import type {ReleaseRecord} from '../../../src/kubernetes/records/release-record.ts'
import {type Evidence, evidenceOf, isUnlabelled, rollbackRun} from '../../../src/plan/pending/evidence.ts'
import type {ProcessState} from '../../../src/state/processes/process-place.ts'
import {leaseView} from '../../kubernetes/lease/lease-view.ts'
import {bareRecord, desiredOf, type Recorded, recordOf} from '../fixtures.ts'

const DEADLINE = 1_000_000
const LATE = DEADLINE + 60_001
const operation: Operation = {
  verb: 'upgrade',
  revision: 3,
  run: 'run-1',
  environment: 'all-in-one',
  deadline: DEADLINE,
  kk: {host: 'laptop', pid: 10, started: '1'},
}
const works: HelmProcess = {state: 'running', process: {pid: 11}}
const gone: HelmProcess = {state: 'gone'}
const unseen: HelmProcess = {state: 'unseen'}

interface Found {
  readonly kk: ProcessState
  readonly helm: HelmProcess
  readonly operation?: Partial<Operation>
  readonly now?: number
  readonly holding?: boolean
}

function pending(recorded: Recorded = {}): ReleaseRecord {
  return recordOf(desiredOf('keystone'), {revision: 3, status: 'pending-upgrade', ...recorded})
}

function leaseWith({kk, helm, operation: changes}: Found): LeaseView {
  return leaseView({
    release: 'openstack/keystone',
    operation: {...operation, ...changes},
    processes: {holder: kk, operation: {kk, helm}},
  })
}

test.each<{case: string; found: Found; evidence: Partial<Evidence>}>([
  {
    case: 'both work',
    found: {kk: 'running', helm: works},
    evidence: {state: 'running', by: 'helm', alone: false, pid: 11},
  },
  {case: 'helm works alone', found: {kk: 'gone', helm: works}, evidence: {state: 'running', alone: true}},
  {
    case: 'helm works alone, and its time is over',
    found: {kk: 'gone', helm: works, now: LATE},
    evidence: {state: 'running', alone: true},
  },
  {
    case: 'both are gone',
    found: {kk: 'gone', helm: gone},
    evidence: {state: 'stale', why: 'whose helm is gone'},
  },
  {
    case: 'helm is gone, and kk is about to see it',
    found: {kk: 'running', helm: gone},
    evidence: {state: 'running', by: 'kk', pid: 10},
  },
  {
    case: 'helm is gone, and kk has lost the Lease to who asks',
    found: {kk: 'running', helm: gone, holding: true},
    evidence: {state: 'stale'},
  },
  {
    case: 'nothing can be seen from here',
    found: {kk: 'unseen', helm: unseen},
    evidence: {state: 'unknown', until: DEADLINE + 60_000, holder: 'ada@laptop'},
  },
  {
    case: 'nothing can be seen from here, and who asks holds the Lease',
    found: {kk: 'unseen', helm: unseen, holding: true},
    evidence: {state: 'unknown'},
  },
  {
    case: 'nothing can be seen from here, and the time is over',
    found: {kk: 'unseen', helm: unseen, now: LATE},
    evidence: {state: 'stale', why: 'whose time is long over'},
  },
  {
    case: 'nothing can be seen from here, but kk has seen the end of helm',
    found: {kk: 'unseen', helm: unseen, operation: {ended: true}},
    evidence: {state: 'stale', why: 'whose helm ended badly'},
  },
])('$evidence.state when $case', ({found, evidence}) => {
  const {now = DEADLINE, holding = false} = found

  expect(evidenceOf(pending(), leaseWith(found), {now, holding})).toMatchObject(evidence)
})

test.each<{case: string; record: ReleaseRecord; operation?: Partial<Operation>}>([
  {
    case: 'of a release without labels of kk',
    record: {...bareRecord('openstack/keystone', 3), status: 'pending-upgrade'},
  },
  {case: 'with labels that plain helm has handed down', record: pending({written: 2})},
  {case: 'of a later revision', record: pending({revision: 4})},
  {case: 'of another verb', record: pending({status: 'pending-rollback'})},
])('a record $case is foreign', ({record}) => {
  const lease = leaseWith({kk: 'gone', helm: gone})

  expect(evidenceOf(record, lease, {now: LATE})).toEqual({state: 'foreign'})
})

test('a record without a Lease is foreign', () => {
  expect(evidenceOf(pending(), undefined, {now: LATE})).toEqual({state: 'foreign'})
})

test.each([
  {verb: 'rollback', status: 'pending-rollback'},
  {verb: 'remove', status: 'uninstalling'},
] as const)(
  'the labels of a record that is $status do not show which run made the revision',
  ({verb, status}) => {
    const lease = leaseWith({kk: 'gone', helm: gone, operation: {verb}})

    expect(evidenceOf(pending({status, written: 1}), lease, {now: 0})).toMatchObject({state: 'stale'})
  },
)

test.each([
  {what: 'a rollback to it', verb: 'rollback', revision: 3, run: 'run-1'},
  {what: 'a rollback to another revision', verb: 'rollback', revision: 4, run: undefined},
  {what: 'an upgrade, which labels its revision', verb: 'upgrade', revision: 3, run: undefined},
] as const)('a Lease with $what names $run as the run that copied the revision', ({verb, revision, run}) => {
  const copy = recordOf(desiredOf('keystone'), {revision: 3, written: 1})
  const lease = leaseWith({kk: 'gone', helm: gone, operation: {verb, revision}})

  expect(isUnlabelled(copy)).toBe(true)
  expect(rollbackRun(copy, lease)).toBe(run)
})
