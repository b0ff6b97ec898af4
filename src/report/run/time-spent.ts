import type {ActionKind} from '../../plan/plan.ts'
import type {Palette} from '../colour.ts'
import {table} from '../table.ts'
import {durationText} from '../text/duration.ts'
import type {Labels} from '../text/label.ts'
import type {Part} from './part-of.ts'
import type {ReleaseProgress, RunState} from './run-state.ts'

/** A shorter run leaves no question. */
const WORTH_TELLING = 10
/** How many releases are told of: those that took longest. */
const ROWS = 10
/** Those that bring pods. */
const KINDS: ReadonlySet<ActionKind> = new Set(['install', 'upgrade', 'rollback', 'await'])
const PARTS: readonly Part[] = ['helm', 'containers', 'jobs', 'pods']
const HEAD = ['WHERE THE TIME WENT', 'TIME', 'HELM', 'IMAGES, VOLUMES', 'JOBS', 'PODS']

/** What the releases of a run that succeeded waited for, the longest first; nothing for a short run. */
export function timeSpentBlock(state: RunState, labels: Labels, palette: Palette): readonly string[] {
  const {finished} = state
  if (finished?.outcome !== 'succeeded' || finished.seconds < WORTH_TELLING) return []
  const rows = [...state.releases.values()]
    .filter(({kind}) => KINDS.has(kind))
    .map((progress) => ({release: progress.release, spent: spentBy(progress), total: totalOf(progress)}))
    .filter(({spent}) => spent.size > 0)
    .sort((one, other) => other.total - one.total)
    .slice(0, ROWS)
  if (rows.length === 0) return []
  const lines = table([
    HEAD,
    ...rows.map(({release, spent, total}) => [
      labels(release),
      durationText(total),
      ...PARTS.map((part) => (spent.has(part) ? durationText(spent.get(part)!) : '-')),
    ]),
  ])
  return lines.map((line, at) => (at === 0 ? palette.quiet(line) : line))
}

function totalOf({times: {startedAt, endedAt}}: ReleaseProgress): number {
  return startedAt === undefined || endedAt === undefined ? 0 : (endedAt - startedAt) / 1000
}

/** Seconds. */
function spentBy({times: {parts}}: ReleaseProgress): ReadonlyMap<string, number> {
  const spent = new Map<string, number>()
  for (const {phase, since, until} of parts) {
    if (until !== undefined) spent.set(phase, (spent.get(phase) ?? 0) + (until - since) / 1000)
  }
  return spent
}
