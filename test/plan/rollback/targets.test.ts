import {describe, expect, it} from 'vitest'
import type {RunRecord, RunRelease} from '../../../src/cluster/runs.ts'
import {targetsOfLastRun, targetsOfRun} from '../../../src/plan/rollback/targets.ts'
import {lastGated} from '../../../src/plan/rollback/ways.ts'
import {id} from '../../graph/graph-of.ts'
import {bareRecord, desiredOf, recordOf} from '../fixtures.ts'

function runOf(...releases: readonly (Partial<RunRelease> & {readonly name: string})[]): RunRecord {
  return {
    id: 'r1',
    environment: 'all-in-one',
    file: 'all-in-one.yaml',
    verb: 'deploy',
    scope: {names: [], install: true},
    who: 'operator@host',
    process: {host: 'host', pid: 1},
    startedAt: '2026-11-21T08:00:00.000Z',
    outcome: 'failed',
    releases: releases.map(({name, ...more}) => ({
      release: id(name),
      kind: 'upgrade',
      before: 2,
      gatedBefore: 2,
      after: 3,
      inputs: '',
      outcome: 'succeeded',
      ...more,
    })),
  }
}

const lastOf = (revisions: Readonly<Record<string, number>>) =>
  new Map(Object.entries(revisions).map(([name, revision]) => [id(name), bareRecord(id(name), revision)]))

describe('undoing a run', () => {
  it('returns each release that it touched to the last revision before it whose gate had passed', () => {
    const run = runOf({name: 'keystone', gatedBefore: 1}, {name: 'glance', outcome: 'failed'})

    const {targets} = targetsOfRun(run, lastOf({keystone: 3, glance: 3}))

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
  ])('leaves a release where $what', ({more, last}) => {
    expect(targetsOfRun(runOf({name: 'keystone', ...more}), lastOf({keystone: last}))).toEqual({
      targets: [],
      installed: [],
      staying: [],
    })
  })

  it('counts what a killed run had begun by the cluster', () => {
    const {after: _, ...begun} = runOf({name: 'keystone', outcome: 'running'}).releases[0]!
    const run = {...runOf(), releases: [begun]}

    expect(targetsOfRun(run, lastOf({keystone: 3})).targets).toHaveLength(1)
    expect(targetsOfRun(run, lastOf({keystone: 2})).targets).toHaveLength(0)
  })

  it('says what stays, and why', () => {
    const run = runOf({name: 'barbican', before: 0, gatedBefore: 0}, {name: 'glance', gatedBefore: 0})

    expect(targetsOfRun(run, lastOf({barbican: 1, glance: 3}))).toEqual({
      targets: [],
      installed: [id('barbican')],
      staying: [
        'barbican stays: the run installed it',
        'glance stays: no revision before the run had passed its gate',
      ],
    })
  })

  it('does not bring back what the run removed, and says who does', () => {
    const run = runOf({name: 'keystone', kind: 'remove'})

    expect(targetsOfRun(run, new Map()).staying).toEqual([
      'keystone stays removed: kk deploy installs it again',
    ])
  })

  it('says that later changes go, too', () => {
    const {targets} = targetsOfRun(runOf({name: 'keystone'}), lastOf({keystone: 5}))

    expect(targets[0]!.reason).toBe('back to revision 2: undoes run r1, and what changed it after that run')
  })

  it('can be bounded to some releases', () => {
    const run = runOf({name: 'keystone'}, {name: 'glance'})

    const {targets} = targetsOfRun(run, lastOf({keystone: 3, glance: 3}), new Set([id('glance')]))

    expect(targets.map(({release}) => release)).toEqual([id('glance')])
  })
})

describe('the last revision whose gate has passed', () => {
  it('is found among all, and counts only marks of their own revision', () => {
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

describe('undoing the last run, which nobody has named', () => {
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

  it('returns to what was before it', () => {
    const {targets, staying} = targetsOfLastRun(deployed[0]!, lastOf({keystone: 3}), deployed)

    expect(targets).toMatchObject([{revision: 2}])
    expect(staying).toEqual([])
  })

  it('leaves what a rollback of an older run has brought further back', () => {
    const {targets, staying} = targetsOfLastRun(deployed[0]!, lastOf({keystone: 4}), [
      back(4, 1),
      ...deployed,
    ])

    expect(targets).toEqual([])
    expect(staying).toEqual([
      'keystone stays: it is at what revision 1 was, further back than revision 2, with which run r3 began',
    ])
  })

  it('is done once, and names the run that goes further back', () => {
    const {targets, staying} = targetsOfLastRun(deployed[0]!, lastOf({keystone: 4}), [
      back(4, 2),
      ...deployed,
    ])

    expect(targets).toMatchObject([{revision: 2}])
    expect(staying).toEqual(['nothing of run r3 is left to undo; further back goes: kk rollback r2'])
  })

  it('returns what was rolled back and then changed by nobody but a rollback of that', () => {
    const runs = [back(5, 3), back(4, 1), ...deployed]

    expect(targetsOfLastRun(deployed[0]!, lastOf({keystone: 5}), runs).targets).toMatchObject([{revision: 2}])
  })
})
