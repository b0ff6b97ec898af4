import type {LeaseView} from '../../kubernetes/lease/view.ts'
import {type RunEntry, runEntry} from '../../kubernetes/records/run-entry.ts'
import type {Check, CheckFinding} from '../finding.ts'

/** Finds records of runs in the state "running" whose process has ended. */
export const runsCheck: Check = {
  name: 'runs',
  okMessage: 'no interrupted runs',
  async run({cluster, leases, now, prepared, place}) {
    const [records, held] = await Promise.all([cluster.runs.list(), leases()])
    const runs = await Promise.all(records.map(runEntry))
    const owner = prepared?.environment.name
    const placeOf = (run: RunEntry) => (run.environment === owner ? place : `${run.file} ${place}`.trim())
    return judgeRuns({runs, leases: held, now, placeOf})
  },
}

interface RunsInputs {
  /** Newest first. */
  readonly runs: readonly RunEntry[]
  readonly leases: readonly Pick<LeaseView, 'holder' | 'runsOut'>[]
  readonly now: number
  /** Returns the arguments after the command that resumes the run. */
  readonly placeOf: (run: RunEntry) => string
}

const DAY_MS = 24 * 3600 * 1000

/**
 * Returns a finding for the last run of each environment if it was interrupted; a later run supersedes
 * earlier ones.
 */
export function judgeRuns({runs, leases, now, placeOf}: RunsInputs): readonly CheckFinding[] {
  const last = [...Map.groupBy(runs, ({environment}) => environment).values()].map((each) => each[0]!)
  return last.flatMap((run): readonly CheckFinding[] => {
    const {id, state, verb, environment, who, startedAt} = run
    const isRunning = leases.some(({holder, runsOut = now + 1}) => holder?.includes(id) && runsOut > now)
    const isOld = state === 'not-ended' && !isRunning && Date.parse(startedAt) + DAY_MS < now
    if (state !== 'killed' && !isOld) return []
    const how = state === 'killed' ? 'was killed' : `has not ended since ${startedAt}, and holds no Lease`
    const what = `the run ${id} (kk ${verb} of ${environment} by ${who}) ${how}`
    return [{level: 'warning', what, advice: `${resumeCommand(run)} ${placeOf(run)}`.trim()}]
  })
}

/** Returns the command that resumes a run. A removal is not resumed: it is repeated and confirmed again. */
function resumeCommand({id, verb, scope}: RunEntry): string {
  if (verb === 'remove' || verb === 'destroy') return ['kk', verb, ...scope.names].join(' ')
  return `kk resume ${id}`
}
