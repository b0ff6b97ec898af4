import {type ReleaseId, releaseName} from '../../release.ts'
import type {Decision} from '../decision/decision.ts'
import type {Action} from '../plan.ts'
import {recordedChart} from '../recorded-chart.ts'
import {type Affected, affected, type Users} from './affected.ts'

/** What a plan does about the dependents of what it changes. */
export interface Rechecked {
  /** The decisions, with those that become a check, or are to pass their gate though they bear its mark. */
  readonly decisions: ReadonlyMap<ReleaseId, Decision>
  /** The releases that change, and that something which is checked for that requires directly. */
  readonly causes: ReadonlySet<ReleaseId>
  /** Releases that the plan was not about: of other environments, or not named. They are looked at, never changed. */
  readonly added: readonly Action[]
}

/**
 * Every dependent of what changes passes its gate again, after what it requires has. Costs nothing where nothing
 * changes.
 */
export function recheckDependents(decisions: ReadonlyMap<ReleaseId, Decision>, users: Users): Rechecked {
  const changed = [...decisions.keys()].filter((release) => changes(decisions.get(release)!))
  if (changed.length === 0) return {decisions, causes: new Set(), added: []}
  const concerned = affected(changed, users)
  const next = new Map(decisions)
  for (const each of concerned) {
    const decision = decisions.get(each.release)
    if (decision) next.set(each.release, again(decision, reasonOf(each)))
  }
  const records = new Map(users.revisions.map((record) => [record.release, record]))
  const added = concerned
    .filter(({release}) => !decisions.has(release))
    .map((each): Action => {
      const record = records.get(each.release)
      return {
        release: each.release,
        kind: 'check',
        reasons: [reasonOf(each)],
        chart: recordedChart(each.release, record),
        requires: each.requires.map(({to, kind}) => ({release: to, kind})),
        group: [each.release],
        revision: record?.revision ?? 0,
        inputs: '',
        protected: false,
      }
    })
  return {decisions: next, causes: causesAmong(new Set(changed), concerned), added}
}

/** What changes itself passes its gate for that, and its own mark tells whether it has. */
function causesAmong(
  changed: ReadonlySet<ReleaseId>,
  concerned: readonly Affected[],
): ReadonlySet<ReleaseId> {
  const rechecked = concerned.filter(({release}) => !changed.has(release))
  const required = rechecked.flatMap(({requires}) => requires.map(({to}) => to))
  return new Set(required.filter((release) => changed.has(release)))
}

function changes({kind}: Decision): boolean {
  return kind === 'upgrade' || kind === 'await'
}

function again(decision: Decision, reason: string): Decision {
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

function reasonOf({requires}: Affected): string {
  return `must pass its gate again after ${requires.map(({to}) => releaseName(to)).join(', ')}`
}
