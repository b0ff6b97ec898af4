import {criticalPath} from '../../graph/longest-path.ts'
import type {RunRecord, RunRelease} from '../../kubernetes/records/runs.ts'
import type {ReleaseId} from '../../release.ts'
import {actionGraph} from '../action-graph.ts'
import {imageChanges} from '../changes/images.ts'
import {migrationsBetween} from '../changes/migrations.ts'
import type {Action, Plan} from '../plan.ts'
import type {ActionForecast, Expected, Manifests} from './action-forecast.ts'
import {NOTHING_NOTICED, noticedBetween} from './impact.ts'
import {modelSeconds} from './model.ts'

interface ForecastInputs {
  readonly actions: readonly Action[]
  /** Those of the releases that get a new revision. */
  readonly manifests: ReadonlyMap<ReleaseId, Manifests>
  /** The records of earlier runs of the environment, the newest first. */
  readonly records: readonly Pick<RunRecord, 'releases'>[]
}

/** Returns what each action takes that gives a release a new revision. */
export function forecast({actions, manifests, records}: ForecastInputs): readonly ActionForecast[] {
  const earlier = Map.groupBy(
    records.flatMap(({releases}) => releases),
    ({release}) => release,
  )
  return actions.flatMap(({release, kind}): readonly ActionForecast[] => {
    const of = manifests.get(release)
    if (!of) return []
    const {before, after} = of
    const isNew = before.length === 0
    const replacesImages = imageChanges(before, after).some(({from}) => from !== undefined)
    const past = pastSeconds(earlier.get(release) ?? [], {kind, replacesImages})
    const names = new Set(after.map(({metadata}) => metadata.name))
    const expected: Expected =
      past.length > 0
        ? {seconds: median(past), runs: past.length}
        : {seconds: modelSeconds(of, {replacesImages}), runs: 0}
    return [
      {
        release,
        ...expected,
        ...(isNew ? NOTHING_NOTICED : noticedBetween(before, after)),
        migrations: isNew ? [] : migrationsBetween(after, before).filter((name) => names.has(name)),
        replacesImages,
      },
    ]
  })
}

/** The number of earlier runs that count. */
const LAST_RUNS = 5

/** Returns how long the same kind of action on a release took, in seconds. */
function pastSeconds(
  runs: readonly RunRelease[],
  {kind, replacesImages}: {readonly kind: string; readonly replacesImages: boolean},
): readonly number[] {
  return runs
    .filter(
      (run) =>
        run.outcome === 'succeeded' && run.kind === kind && (run.replacesImages ?? false) === replacesImages,
    )
    .flatMap(({seconds}) => seconds ?? [])
    .slice(0, LAST_RUNS)
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other)
  const middle = Math.floor(sorted.length / 2)
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

/** Returns how long a plan takes: one action after the other, or the longest path through it. */
export function totalSeconds(
  {actions, forecast: of = []}: Pick<Plan, 'actions' | 'forecast'>,
  {isSequential}: {readonly isSequential: boolean},
): number {
  const seconds = new Map(of.map((each) => [each.release, each.seconds]))
  const taken = isSequential
    ? of.map(({release}) => release)
    : criticalPath(actionGraph(actions), (release) => seconds.get(release) ?? 0)
  return taken.reduce((sum, release) => sum + (seconds.get(release) ?? 0), 0)
}

/**
 * Returns whether an action took notably longer or shorter than expected: by a quarter, and by ten seconds.
 */
export function isUnexpected(expected: Pick<Expected, 'seconds'>, seconds: number): boolean {
  return Math.abs(seconds - expected.seconds) > Math.max(10, expected.seconds / 4)
}
