import {describe, expect, it} from 'vitest'
import type {RunRecord} from '../../../src/kubernetes/records/runs.ts'
import type {DeployKind, Plan} from '../../../src/plan/plan.ts'
import {expectSameInputs, runToResume} from '../../../src/verbs/change/resume.ts'
import {runToUndo} from '../../../src/verbs/change/rollback.ts'
import {id} from '../../graph/graph-of.ts'
import {runRecord, runRelease} from '../../kubernetes/support/run-record.ts'

function runOf(name: string, more: Partial<RunRecord> = {}): RunRecord {
  return runRecord({id: name, ...more})
}

describe('the run to resume', () => {
  it.each([
    {what: 'that was killed', runs: [runOf('r2'), runOf('r1', {outcome: 'succeeded'})], found: 'r2'},
    {what: 'that was interrupted', runs: [runOf('r1', {outcome: 'interrupted'})], found: 'r1'},
    {what: 'that failed', runs: [runOf('r1', {outcome: 'failed'})], found: 'r1'},
    {what: 'the newest of several', runs: [runOf('r2'), runOf('r1')], found: 'r2'},
    {
      what: 'not an adoption, which is repeated with its own verb',
      runs: [runOf('r2', {verb: 'adopt', outcome: 'failed'}), runOf('r1')],
      found: 'r1',
    },
  ])('is the last one: $what', ({runs, found}) => {
    expect(runToResume(runs, 'all-in-one')).toMatchObject({kind: 'unfinished', run: {id: found}})
  })

  it.each([
    {what: 'an older failed run', runs: [runOf('r1', {outcome: 'failed'})], older: 'r1'},
    {
      what: 'an unfinished run that no later one resumed',
      runs: [runOf('r2', {outcome: 'failed', of: 'r1'}), runOf('r1', {outcome: 'failed'}), runOf('r0')],
      older: 'r2',
    },
    {what: 'none', runs: [runOf('r1', {outcome: 'succeeded'})], older: undefined},
  ])('is none after one that succeeded, which names $what', ({runs, older}) => {
    const found = runToResume([runOf('r3', {outcome: 'succeeded'}), ...runs], 'all-in-one')

    expect(found).toMatchObject({kind: 'nothing', last: {id: 'r3'}})
    expect(found.kind === 'nothing' && found.older?.id).toBe(older)
  })

  it.each([
    {what: 'a rollback', last: runOf('r3', {verb: 'rollback', outcome: 'succeeded', of: 'r1'})},
    {what: 'the removal after it', last: runOf('r3', {verb: 'remove', outcome: 'succeeded', of: 'r1'})},
  ])('is none after $what undid a failed one, which is named', ({last}) => {
    const rollback = runOf('r2', {verb: 'rollback', outcome: 'succeeded', of: 'r1'})

    const found = runToResume([last, rollback, runOf('r1', {outcome: 'failed'})], 'all-in-one')

    expect(found).toMatchObject({kind: 'nothing', last: {id: 'r3'}, undone: {id: 'r1'}, older: undefined})
  })

  it('is none after one that resumed a failed run, which is not undone', () => {
    const runs = [runOf('r2', {outcome: 'succeeded', of: 'r1'}), runOf('r1', {outcome: 'failed'})]

    expect(runToResume(runs, 'all-in-one')).toMatchObject({kind: 'nothing', undone: undefined})
  })

  it.each([
    {what: 'of the same inputs', inputs: 'a', older: undefined},
    {what: 'of other inputs', inputs: 'b', older: 'r1'},
  ])('names no older one that a later run $what has done: $older', ({inputs, older}) => {
    const entry = runRelease('keystone')
    const killed = runOf('r1', {releases: [{...entry, outcome: 'running'}]})
    const again = runOf('r2', {outcome: 'succeeded', releases: [{...entry, inputs, outcome: 'succeeded'}]})

    const found = runToResume([again, killed], 'all-in-one')

    expect(found.kind === 'nothing' && found.older?.id).toBe(older)
  })

  it('is an error if no run exists', () => {
    expect(() => runToResume([], 'all-in-one')).toThrow(expect.objectContaining({code: 'KK_NO_RUN'}))
  })
})

it('the run to undo is one that made revisions', () => {
  const verbs = ['drift', 'adopt', 'rollback', 'upgrade', 'deploy']

  const found = runToUndo(
    verbs.map((verb) => runOf(verb, {verb})),
    'all-in-one',
  )

  expect(found.verb).toBe('upgrade')
})

describe('inputs', () => {
  function planOf(actions: readonly {name: string; kind: DeployKind; inputs: string}[]): Plan {
    return {
      environment: 'all-in-one',
      file: 'all-in-one.yaml',
      cluster: {context: 'kk', server: 'https://127.0.0.1:6443', uid: 'u', version: 'v1.36.3'},
      actions: actions.map(({name, kind, inputs}) => ({
        release: id(name),
        kind,
        reasons: [],
        chart: {name, version: '', appVersion: ''},
        requires: [],
        group: [id(name)],
        revision: 1,
        inputs,
        protected: false,
      })),
      bystanders: [],
    }
  }

  it('that are equal allow the run to resume, whatever its progress', () => {
    const run = runOf('r1', {
      releases: [runRelease('mariadb'), runRelease('keystone'), runRelease('glance', {kind: 'check'})],
    })
    const plan = planOf([
      {name: 'mariadb', kind: 'unchanged', inputs: 'a'},
      {name: 'keystone', kind: 'upgrade', inputs: 'a'},
      {name: 'glance', kind: 'check', inputs: 'whatever'},
      {name: 'horizon', kind: 'unchanged', inputs: 'b'},
    ])

    expect(() => expectSameInputs(run, plan, 'kk deploy all-in-one.yaml --sandbox')).not.toThrow()
  })

  it('that changed are all named', () => {
    const run = runOf('r1', {releases: [runRelease('mariadb'), runRelease('keystone')]})
    const plan = planOf([
      {name: 'mariadb', kind: 'unchanged', inputs: 'b'},
      {name: 'glance', kind: 'install', inputs: 'c'},
    ])

    expect(() => expectSameInputs(run, plan, 'kk deploy all-in-one.yaml --sandbox')).toThrow(
      expect.objectContaining({
        code: 'KK_MOVED',
        message:
          'all-in-one.yaml no longer matches run r1: glance (was not part of the run), ' +
          'mariadb (its inputs changed), keystone (is no longer part of the plan)',
        hint: expect.stringMatching(
          /--values and --set .*, or start again: kk deploy all-in-one\.yaml --sandbox$/,
        ),
      }),
    )
  })
})
