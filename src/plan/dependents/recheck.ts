import {type ReleaseId, releaseName} from '../../release.ts'
import type {Decision} from '../decision/decision.ts'
import type {Action} from '../plan.ts'
import {recordedChart} from '../recorded-chart.ts'
import {type Affected, affected, type Users} from './affected.ts'

/** The actions of a plan on the dependents of the releases that it changes. */
export interface Rechecked {
  /**
   * The decisions; some became checks, whose gate must pass again, or are marked so that their dependents are
   * checked.
   */
  readonly decisions: ReadonlyMap<ReleaseId, Decision>
  /** Releases outside the plan: of other environments, or not named. They are checked, never changed. */
  readonly added: readonly Action<'check'>[]
}

/**
 * Adds a check of every dependent of a changed release: it passes its gate again after its requirements have.
 */
export function recheckDependents(decisions: ReadonlyMap<ReleaseId, Decision>, users: Users): Rechecked {
  const changed = [...decisions.keys()].filter((release) => changes(decisions.get(release)!))
  if (changed.length === 0) return {decisions, added: []}
  const concerned = affected(changed, users)
  const next = new Map(decisions)
  for (const each of concerned) {
    const decision = decisions.get(each.release)
    if (decision) next.set(each.release, withRecheck(decision, recheckReason(each)))
  }
  const records = new Map(users.revisions.map((record) => [record.release, record]))
  const added = concerned
    .filter(({release}) => !decisions.has(release))
    .map((each): Action<'check'> => {
      const record = records.get(each.release)
      return {
        release: each.release,
        kind: 'check',
        reasons: [recheckReason(each)],
        chart: recordedChart(each.release, record),
        requires: each.requires.map(({to, kind}) => ({release: to, kind})),
        group: [each.release],
        revision: record?.revision ?? 0,
        inputs: '',
        protected: false,
      }
    })
  for (const release of causesAmong(new Set(changed), concerned)) {
    const decision = decisions.get(release)!
    if (changes(decision)) next.set(release, {...decision, rechecks: true})
  }
  return {decisions: next, added}
}

/**
 * Returns the changed releases that unchanged dependents require directly. A dependent that changes passes
 * its gate for its own change, and its own label records whether it has.
 */
function causesAmong(
  changed: ReadonlySet<ReleaseId>,
  concerned: readonly Affected[],
): ReadonlySet<ReleaseId> {
  const rechecked = concerned.filter(({release}) => !changed.has(release))
  const required = rechecked.flatMap(({requires}) => requires.map(({to}) => to))
  return new Set(required.filter((release) => changed.has(release)))
}

function changes(decision: Decision): decision is Extract<Decision, {kind: 'upgrade' | 'await'}> {
  return decision.kind === 'upgrade' || decision.kind === 'await'
}

function withRecheck(decision: Decision, reason: string): Decision {
  switch (decision.kind) {
    case 'unchanged':
      return {kind: 'check', reasons: [reason]}
    case 'check':
      return {...decision, reasons: [...decision.reasons, reason]}
    case 'relabel':
      return {...decision, reasons: [...decision.reasons, reason], recheck: true}
    default:
      return decision
  }
}

function recheckReason({requires}: Affected): string {
  return `must pass its gate again after ${requires.map(({to}) => releaseName(to)).join(', ')}`
}
