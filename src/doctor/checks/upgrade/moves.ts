import type {CheckResult} from '../change.ts'

/** An instance that nova moves to another host: by a migration, a resize or an evacuation. */
export interface Move {
  readonly server: string
  /** As nova names it: `live-migration`, `migration`, `resize`, `evacuation`. */
  readonly kind: string
  readonly source: string | null
  readonly target: string | null
}

const MOST_NAMED = 5

/**
 * Judges the moves of instances before an upgrade of nova, pure: they are refused, because their steps would
 * be of two releases. If an earlier upgrade has not ended, they may be waiting for this one, and are noted.
 */
export function judgeMoves(moves: readonly Move[], isUnfinished: boolean): readonly CheckResult[] {
  if (moves.length === 0) return []
  const more = moves.length > MOST_NAMED ? [`${moves.length - MOST_NAMED} more`] : []
  const what = `nova moves instances: ${[...moves.slice(0, MOST_NAMED).map(described), ...more].join(', ')}`
  if (isUnfinished) return [{what}]
  return [
    {
      what,
      advice:
        'wait until they have arrived: openstack server migration list; --skip-upgrade-checks upgrades all the same',
      refusal: 'KK_UPGRADE_CHECK',
    },
  ]
}

function described({server, kind, source, target}: Move): string {
  return `the ${kind} of ${server}${source ? ` from ${source}` : ''}${target ? ` to ${target}` : ''}`
}
