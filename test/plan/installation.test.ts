import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import type {ReleaseRecord} from '../../src/kubernetes/records/release-record.ts'
import type {RunRecord, RunRelease} from '../../src/kubernetes/records/runs.ts'
import {installationOf, isOfCurrentInstallation, runLabels} from '../../src/plan/installation.ts'
import {GATED_LABEL, OWNER_LABEL, REVISION_LABEL} from '../../src/plan/labels.ts'
import {targetsOfLastRun, targetsOfRun} from '../../src/plan/rollback/targets.ts'
import {lastGated} from '../../src/plan/rollback/ways.ts'
import {id} from '../graph/graph-of.ts'
import {runRecord, runRelease} from '../kubernetes/support/run-record.ts'
import {bareRecord} from './fixtures.ts'

const APP = id('app')
const START = Date.parse('2026-11-21T08:00:00.000Z')

/**
 * The operation on the release: by kk, by a kk that is killed before it records its end, or by plain helm.
 */
type Step = 'upgrade' | 'killed-upgrade' | 'rollback' | 'remove' | 'helm-upgrade' | 'helm-uninstall'

interface Happened {
  readonly revisions: readonly ReleaseRecord[]
  /** Newest first. */
  readonly runs: readonly RunRecord[]
  /** UID of the record to which undoing each run leads. */
  readonly gated: ReadonlyMap<string, string>
}

/** A release whose kk records installations, or, like an older one, does not. */
function happened(steps: readonly Step[], notes: boolean): Happened {
  let revisions: ReleaseRecord[] = []
  const runs: RunRecord[] = []
  const gated = new Map<string, string>()
  let seconds = 0
  const now = () => new Date(START + seconds * 1000).toISOString()

  function make(run: string | undefined, copied = revisions.at(-1)): void {
    const revision = (revisions.at(-1)?.revision ?? 0) + 1
    const own = run !== undefined && {
      [OWNER_LABEL]: 'e',
      [REVISION_LABEL]: String(revision),
      [GATED_LABEL]: String(revision),
      ...(notes && runLabels(revisions.at(-1), run)),
    }
    const record = bareRecord(APP, revision)
    const labels = {...copied?.labels, ...own}
    const secret = {...record.secret, uid: `uid-${seconds}`, createdAt: now()}
    revisions.push({...record, labels, secret})
  }

  function run(kind: string, act: (id: string) => void, more: Partial<RunRelease> = {}): void {
    const last = revisions.at(-1)
    const name = `run-${seconds}`
    const startedAt = now()
    const gatedBefore = lastGated(revisions).get(APP) ?? 0
    const uid = revisions.find(({revision}) => revision === gatedBefore)?.secret.uid
    if (uid !== undefined) gated.set(name, uid)
    const installation = notes && {installation: installationOf(last, name)}
    seconds += 1
    act(name)
    const release = runRelease('app', {
      ...{kind, ...installation, before: last?.revision ?? 0, gatedBefore},
      ...{after: revisions.at(-1)?.revision ?? 0, outcome: 'succeeded', ...more},
    })
    runs.unshift(
      runRecord({
        ...{id: name, environment: 'e', verb: kind === 'rollback' ? kind : 'deploy'},
        ...{startedAt, outcome: 'succeeded', releases: [release]},
        ...(release.after !== undefined && {endedAt: now()}),
      }),
    )
  }

  for (const step of steps) {
    seconds += 1
    const last = revisions.at(-1)
    if (step === 'upgrade') run(last ? 'upgrade' : 'install', make)
    if (step === 'killed-upgrade')
      run(last ? 'upgrade' : 'install', make, {after: undefined, outcome: 'running'})
    if (step === 'helm-upgrade' && last) make(undefined)
    if (step === 'helm-uninstall') revisions = []
    if (step === 'remove' && last) run('remove', () => (revisions = []))
    if (step === 'rollback' && last) {
      const undone = runs.find(({verb}) => verb !== 'rollback')
      const {targets} = undone ? targetsOfLastRun(undone, {revisions, runs}) : {targets: []}
      const target = revisions.find(({revision}) => revision === targets[0]?.revision)
      if (target) run('rollback', (name) => make(name, target), {target: target.revision})
    }
  }
  return {revisions, runs, gated}
}

const steps = fc.array(
  fc.constantFrom<Step>('upgrade', 'killed-upgrade', 'rollback', 'remove', 'helm-upgrade', 'helm-uninstall'),
  {maxLength: 14},
)

describe.each([
  {kk: 'this kk', notes: true},
  {kk: 'an older kk', notes: false},
])('the records of $kk', ({notes}) => {
  it('lead the undoing of a run to exactly the record before it, or to none', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const {revisions, runs, gated} = happened(taken, notes)
        const uidOf = (wanted: number) => revisions.find(({revision}) => revision === wanted)?.secret.uid

        for (const run of runs)
          for (const {revision} of targetsOfRun(run, {revisions, runs}).targets)
            expect(uidOf(revision)).toBe(gated.get(run.id))
      }),
    )
  })

  it('assign an installation only to the run that made it', () => {
    fc.assert(
      fc.property(steps, (taken) => {
        const {revisions, runs} = happened(taken, notes)

        const first = revisions[0]?.secret.uid
        const claiming = runs.filter((run) => targetsOfRun(run, {revisions, runs}).installed.length > 0)

        expect(claiming.map(({id: name}) => `uid-${Number(name.slice(4)) + 1}`)).toEqual(
          claiming.length > 0 ? [first] : [],
        )
      }),
    )
  })

  it('let the last run be undone after a removal, a rollback and three deployments', () => {
    const life: Step[] = ['upgrade', 'upgrade', 'rollback', 'remove', 'upgrade', 'upgrade', 'upgrade']
    const {revisions, runs} = happened(life, notes)

    expect(targetsOfLastRun(runs[0]!, {revisions, runs})).toMatchObject({
      targets: [{revision: 2}],
      staying: [],
    })
  })
})

describe('a record of an older kk', () => {
  const [run] = happened(['upgrade', 'upgrade'], false).runs as [RunRecord]
  const [entry] = run.releases as [RunRelease]
  const there = happened(['upgrade', 'upgrade'], false)

  it('belongs to the installation that has a revision of the same time', () => {
    expect(isOfCurrentInstallation(run, entry, there)).toBe(true)
  })

  it('does not belong to an installation whose revisions are all newer', () => {
    const revisions = there.revisions.map((record) => {
      return {...record, secret: {...record.secret, createdAt: '2026-11-22T08:00:00Z'}}
    })

    expect(isOfCurrentInstallation(run, entry, {...there, revisions})).toBe(false)
  })

  it('does not belong to an installation after a later run removed the release, whatever the clocks show', () => {
    const removal = {...run, startedAt: '2026-11-21T09:00:00Z', releases: [{...entry, kind: 'remove'}]}

    expect(isOfCurrentInstallation(run, entry, {...there, runs: [removal, run]})).toBe(false)
  })
})
