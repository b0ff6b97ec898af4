import type {CheckResult} from '../change.ts'

/** What a migration that was not applied does to a table (`src/audit/collectors/sql.py`). */
export interface MigrationStep {
  readonly revision: string
  /** Whether it is applied when the old processes have ended. */
  readonly branch: 'contract' | null
  readonly does: string
  /** Null if it is not a constant in the migration. */
  readonly table: string | null
  readonly column?: string | null
  /** As the database estimates them. */
  readonly rows: number
  readonly bytes: number
}

/** What the old processes, which serve while a migration runs, no longer find afterwards. */
const BREAKS: ReadonlySet<string> = new Set([
  'drops the table',
  'renames the table',
  'drops the column',
  'renames the column',
])
/** What copies each row of its table, which can be written to only afterwards. */
const COPIES: ReadonlySet<string> = new Set(['rewrites the table', 'changes the type of the column'])

/** What names no table. */
const COMPUTES: ReadonlySet<string> = new Set(['executes SQL that it computes'])

/** How fast a table is copied, in bytes per second: a low estimate for a disk in the network. */
const BYTES_PER_SECOND = 20 * 1024 ** 2
/** The longest time for which a table is locked without acceptance, in seconds. */
const LONGEST_LOCK_SECONDS = 10

interface JudgedService {
  readonly service: string
  /** The section of the environment. */
  readonly section: string
  /** The revisions that the environment accepts. */
  readonly accepted: readonly string[]
}

/**
 * Judges the migrations of a service, pure: refuses those that take from the old processes what they use, and
 * those that lock a large table, unless accepted by their revision; notes the others that change tables with
 * rows.
 */
export function judgeSteps(
  {service, section, accepted}: JudgedService,
  steps: readonly MigrationStep[],
): readonly CheckResult[] {
  return steps.flatMap((step): readonly CheckResult[] => {
    const {revision, does, table, column, rows, bytes, branch} = step
    const lock = Math.round(bytes / BYTES_PER_SECOND)
    const breaks = BREAKS.has(does) && branch !== 'contract'
    const locks = COPIES.has(does) && lock > LONGEST_LOCK_SECONDS
    // The rows of a table are not known if the migration computes its name.
    if (!breaks && rows === 0 && table !== null) return []
    const name = table ?? (COMPUTES.has(does) ? '' : 'of a computed name')
    const subject = [does, ...(column ? [column, 'of'] : []), name].filter(Boolean).join(' ')
    const size = table === null ? 'not known which rows' : `${rows} rows, ${Math.ceil(bytes / 1024 ** 2)} MB`
    const effect = [
      ...(breaks ? ['the processes of the old release, which still serve, use it'] : []),
      ...(COPIES.has(does) ? [`it can be written to only after about ${Math.max(1, lock)} s`] : []),
    ]
    const what = [`migration ${revision} of ${service} ${subject} (${size})`, ...effect].join(': ')
    if ((!breaks && !locks) || accepted.includes(revision)) return [{what}]
    return [
      {
        what,
        advice: `if that is acceptable, state it in the file: kk.releases.${section}.migrations: [${revision}]`,
        refusal: 'KK_UPGRADE_CHECK',
      },
    ]
  })
}
