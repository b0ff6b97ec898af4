import {describe, expect, it} from 'vitest'
import type {RunRecord, RunRelease} from '../../../src/kubernetes/records/runs.ts'
import type {Installations} from '../../../src/plan/installation.ts'
import {INSTALLATION_LABEL, OWNER_LABEL} from '../../../src/plan/labels.ts'
import {targetsOfLastRun, targetsOfRollback, targetsOfRun} from '../../../src/plan/rollback/targets.ts'
import {lastGated} from '../../../src/plan/rollback/ways.ts'
import {id} from '../../graph/graph-of.ts'
import {runRecord, runRelease} from '../../kubernetes/support/run-record.ts'
import {bareRecord, desiredOf, recordOf} from '../fixtures.ts'

function runOf(...releases: readonly (Partial<RunRelease> & {readonly name: string})[]): RunRecord {
  const done = {installation: 'i1', before: 2, gatedBefore: 2, after: 3, outcome: 'succeeded'} as const
  return runRecord({
    outcome: 'failed',
    releases: releases.map(({name, ...more}) => runRelease(name, {...done, ...more})),
  })
}

/**
 * The revisions that helm keeps of releases whose last revision is this one, all of the installation `i1`.
 */
function keptOf(last: Readonly<Record<string, number>>, runs: readonly RunRecord[] = []): Installations {
  const revisions = Object.entries(last).map(([name, revision]) => ({
    ...bareRecord(id(name), revision),
    labels: {[OWNER_LABEL]: 'all-in-one', [INSTALLATION_LABEL]: 'i1'},
  }))
  return {revisions, runs}
}

describe('undoing a run', () => {
  it('returns each release that it changed to the last revision before it whose gate had passed', () => {
    const run = runOf({name: 'keystone', gatedBefore: 1}, {name: 'glance', outcome: 'failed'})

    const {targets} = targetsOfRun(run, keptOf({keystone: 3, glance: 3}))

    expect(targets).toEqual([
      {release: id('keystone'), revision: 1, reason: 'back to revision 1: undoes run r1'},
      {release: id('glance'), revision: 2, reason: 'back to revision 2: undoes run r1'},
    ])
  })

  it.each([
    {what: 'helm made no revision', more: {outcome: 'failed', after: 2} as const, last: 2},
    {what: 'it was skipped', more: {outcome: 'skipped'} as const, last: 3},
    {what: 'it never started', more: {outcome: 'waiting'} as const, last: 3},
    {what: 'only its gate was awaited', more: {kind: 'await'}, last: 3},
  ])('leaves a release if $what', ({more, last}) => {
    expect(targetsOfRun(runOf({name: 'keystone', ...more}), keptOf({keystone: last}))).toEqual({
      targets: [],
      installed: [],
      staying: [],
    })
  })

  it('determines from the cluster which releases a killed run had begun', () => {
    const {after: _, ...begun} = runOf({name: 'keystone', outcome: 'running'}).releases[0]!
    const run = {...runOf(), releases: [begun]}

    expect(targetsOfRun(run, keptOf({keystone: 3})).targets).toHaveLength(1)
    expect(targetsOfRun(run, keptOf({keystone: 2})).targets).toHaveLength(0)
  })

  it('reports what stays, and why', () => {
    const run = runOf({name: 'barbican', before: 0, gatedBefore: 0}, {name: 'glance', gatedBefore: 0})

    expect(targetsOfRun(run, keptOf({barbican: 1, glance: 3}))).toEqual({
      targets: [],
      installed: [id('barbican')],
      staying: [
        'barbican stays: the run installed it',
        'glance stays: no revision before the run had passed its gate',
      ],
    })
  })

  it('does not restore removed releases, and names the command that does', () => {
    const run = runOf({name: 'keystone', kind: 'remove'})

    expect(targetsOfRun(run, keptOf({})).staying).toEqual([
      'keystone stays removed: kk deploy installs it again',
    ])
  })

  it('notes that it also undoes later changes', () => {
    const {targets} = targetsOfRun(runOf({name: 'keystone'}), keptOf({keystone: 5}))

    expect(targets[0]!.reason).toBe('back to revision 2: undoes run r1, and what changed it after that run')
  })

  it('can be limited to some releases', () => {
    const run = runOf({name: 'keystone'}, {name: 'glance'})

    const {targets} = targetsOfRun(run, keptOf({keystone: 3, glance: 3}), new Set([id('glance')]))

    expect(targets.map(({release}) => release)).toEqual([id('glance')])
  })
})

describe('a release that was removed after a run, and installed again,', () => {
  const former = {name: 'keystone', installation: 'i0'}

  it('stays when that run is undone, and is named', () => {
    expect(targetsOfRun(runOf(former), keptOf({keystone: 3}))).toEqual({
      targets: [],
      installed: [],
      staying: ['keystone stays: it was removed and installed again after run r1'],
    })
  })

  it('does not count as installed by that run', () => {
    const run = runOf({...former, before: 0, gatedBefore: 0, after: 1})

    expect(targetsOfRun(run, keptOf({keystone: 1}))).toMatchObject({targets: [], installed: []})
  })

  it('is reported to stay removed while it is not installed', () => {
    expect(targetsOfRun(runOf(former), keptOf({})).staying).toEqual([
      'keystone stays removed: kk deploy installs it again',
    ])
  })

  it('does not count as returned by an earlier rollback', () => {
    const back = {...runOf({...former, kind: 'rollback', before: 2, after: 3, target: 1}), verb: 'rollback'}
    const run = {...runOf({name: 'keystone'}), id: 'r9'}

    expect(targetsOfLastRun(run, keptOf({keystone: 3}, [run, back]))).toMatchObject({
      targets: [{revision: 2}],
      staying: [],
    })
  })

  it('prevents an earlier rollback from being continued, by name', () => {
    const run = runOf({...former, kind: 'rollback', target: 1}, {name: 'glance', kind: 'rollback', target: 2})

    expect(() => targetsOfRollback(run, keptOf({keystone: 3, glance: 3}))).toThrow(
      expect.objectContaining({
        code: 'KK_MOVED',
        message: 'run r1 cannot be continued: keystone: it was removed and installed again after run r1',
      }),
    )
  })

  it('does not mention a release that a failed run did not get to install', () => {
    const run = runOf({...former, before: 0, gatedBefore: 0, after: undefined, outcome: 'failed'})

    expect(targetsOfRun(run, keptOf({keystone: 1})).staying).toEqual([])
  })
})

it('a continued rollback returns to the same revisions', () => {
  const run = runOf({name: 'keystone', kind: 'rollback', target: 3}, {name: 'glance', kind: 'check'})

  expect(targetsOfRollback(run, keptOf({keystone: 4, glance: 4}))).toEqual([
    {release: id('keystone'), revision: 3, reason: 'back to revision 3: continues run r1'},
  ])
})

describe('the last revision whose gate has passed', () => {
  it('is searched among all revisions, by marks of their own revision', () => {
    const keystone = desiredOf('keystone')
    const revisions = [
      recordOf(keystone, {revision: 1}),
      recordOf(keystone, {revision: 2}),
      recordOf(keystone, {revision: 3, gated: undefined, status: 'failed'}),
      recordOf(keystone, {revision: 4, gated: 2}),
      recordOf(desiredOf('glance'), {revision: 1, gated: undefined}),
    ]

    expect(lastGated(revisions)).toEqual(new Map([[id('keystone'), 2]]))
  })
})

describe('undoing the last run, which the user has not named', () => {
  const upgrade = (id: string, after: number) => ({
    ...runOf({name: 'keystone', before: after - 1, gatedBefore: after - 1, after}),
    id,
  })
  const deployed = [upgrade('r3', 3), upgrade('r2', 2)]
  const back = (after: number, target: number) => ({
    ...runOf({name: 'keystone', kind: 'rollback', before: after - 1, after, target}),
    id: `back${after}`,
    verb: 'rollback',
  })

  it('returns to the revisions before it', () => {
    const {targets, staying} = targetsOfLastRun(deployed[0]!, keptOf({keystone: 3}, deployed))

    expect(targets).toMatchObject([{revision: 2}])
    expect(staying).toEqual([])
  })

  it('leaves releases that a rollback of an older run has brought further back', () => {
    const {targets, staying} = targetsOfLastRun(
      deployed[0]!,
      keptOf({keystone: 4}, [back(4, 1), ...deployed]),
    )

    expect(targets).toEqual([])
    expect(staying).toEqual([
      'keystone stays: it is at what revision 1 was, further back than revision 2, with which run r3 began',
    ])
  })

  it('happens once, and names the run to undo next', () => {
    const {targets, staying} = targetsOfLastRun(
      deployed[0]!,
      keptOf({keystone: 4}, [back(4, 2), ...deployed]),
    )

    expect(targets).toMatchObject([{revision: 2}])
    expect(staying).toEqual(['nothing of run r3 is left to undo; to go further back: kk rollback r2'])
  })

  it('returns releases that were rolled back and then changed only by a rollback of that', () => {
    const runs = [back(5, 3), back(4, 1), ...deployed]

    expect(targetsOfLastRun(deployed[0]!, keptOf({keystone: 5}, runs)).targets).toMatchObject([{revision: 2}])
  })
})
