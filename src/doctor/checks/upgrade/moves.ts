import type {CheckResult} from '../change.ts'

/** An instance that nova moves to another host: by a migration, a resize or an evacuation. */
export interface Move {
  readonly server: string
  /** As nova names it: `live-migration`, `migration`, `resize`, `evacuation`. */
  readonly kind: string
  readonly source: string | null
  readonly target: string | null
  /** The seconds since nova last reported its progress. */
  readonly age: number
}

/** Nova reports the progress of a migration every few seconds, and of a copy when it ends. */
const FORGOTTEN_AFTER_SECONDS = 3_600

/**
 * Judges the moves of instances before an upgrade of nova, pure: those that run are refused, because their
 * steps would be of two releases; one that nova no longer reports is noted.
 */
export function judgeMoves(moves: readonly Move[]): readonly CheckResult[] {
  const isForgotten = ({age}: Move) => age > FORGOTTEN_AFTER_SECONDS
  const forgotten = moves
    .filter(isForgotten)
    .map((move) => ({what: `${described(move)} has not been reported for ${Math.round(move.age / 3_600)} h`}))
  const running = moves.filter((move) => !isForgotten(move)).map(described)
  if (running.length === 0) return forgotten
  return [
    {
      what: `nova moves instances: ${running.join(', ')}`,
      advice:
        'wait until they have arrived: openstack server migration list; --skip-upgrade-checks upgrades all the same',
      refusal: 'KK_UPGRADE_CHECK',
    },
    ...forgotten,
  ]
}

function described({server, kind, source, target}: Move): string {
  return `the ${kind} of ${server}${source ? ` from ${source}` : ''}${target ? ` to ${target}` : ''}`
}
