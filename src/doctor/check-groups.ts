import type {ChartsCoverage} from './charts/examine-charts.ts'
import type {Finding} from './finding.ts'

/** The groups of `kk check`, in order, each with its checks. */
const GROUPS = {
  file: ['file'],
  values: ['settings', 'overrides'],
  references: ['requirements', 'waits', 'missing objects', 'ambiguous providers', 'deadlocks', 'values'],
  accounts: ['accounts'],
  cluster: ['refused changes'],
  // All other checks are of what charts render.
  charts: [],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type CheckGroup = keyof typeof GROUPS
export const CHECK_GROUPS = ['file', 'values', 'references', 'charts', 'accounts', 'cluster'] as const

/** What was checked; a group that is missing was not. */
export interface CheckCoverage extends Partial<ChartsCoverage> {
  readonly file?: {readonly name: string; readonly sections: number}
}

/** Returns the group of a finding. */
export function checkGroup({check}: Pick<Finding, 'check'>): CheckGroup {
  return CHECK_GROUPS.find((group) => (GROUPS[group] as readonly string[]).includes(check)) ?? 'charts'
}
