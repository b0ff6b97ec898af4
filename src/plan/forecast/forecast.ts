import {criticalPath} from '../../graph/longest-path.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {RunRecord, RunRelease} from '../../kubernetes/records/runs.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'
import {actionGraph} from '../action-graph.ts'
import {imageChanges} from '../changes/images.ts'
import {migrationsBetween} from '../changes/migrations.ts'
import {resetsDrift} from '../drift/drift-reason.ts'
import type {Action, Plan} from '../plan.ts'
import type {ActionForecast, Expected, NoticedBy} from './action-forecast.ts'
import {mostNoticed, noticedBetween} from './impact.ts'
import {HELM_SECONDS, modelled} from './model.ts'

type Objects = readonly KubernetesObject[]

/** The manifests of a release, hooks included. */
interface RevisionManifests {
  /** Those of the revisions that may be running, the last one first; empty if there is none. */
  readonly earlier: readonly Objects[]
  readonly after: Objects
}

interface ForecastInputs {
  readonly actions: readonly Action[]
  /** Those of the releases that get a new revision. */
  readonly manifests: ReadonlyMap<ReleaseId, RevisionManifests>
  /** The records of earlier runs of the environment, the newest first. */
  readonly records: readonly Pick<RunRecord, 'releases'>[]
}

/** Returns what each action takes that gives a release a new revision. */
export function forecast({actions, manifests, records}: ForecastInputs): readonly ActionForecast[] {
  const runs = Map.groupBy(
    records.flatMap(({releases}) => releases),
    ({release}) => release,
  )
  return actions.flatMap((action): readonly ActionForecast[] => {
    const of = manifests.get(action.release)
    if (!of) return []
    const {earlier, after} = of
    const replacesImages = earlier.some((before) =>
      imageChanges(before, after).some(({from}) => from !== undefined),
    )
    const names = new Set(after.map(({metadata}) => metadata.name))
    const migrations = earlier.flatMap((before) => migrationsBetween(after, before))
    return [
      {
        release: action.release,
        ...expectedBy(action, {runs: runs.get(action.release) ?? [], replacesImages, of}),
        ...noticedOf(action, of),
        migrations: [...new Set(migrations)].filter((name) => names.has(name)),
        replacesImages,
      },
    ]
  })
}

function noticedOf({release, reasons}: Action, {earlier, after}: RevisionManifests): NoticedBy {
  const noticed = earlier.map((before) => noticedBetween({before, after}, releaseNamespace(release)))
  const unclear = {impact: 'unknown', why: ['what differs on the cluster is reset']} as const
  return mostNoticed([...noticed, ...(resetsDrift(reasons) ? [{users: unclear, instances: unclear}] : [])])
}

interface ExpectedInputs {
  readonly runs: readonly RunRelease[]
  readonly replacesImages: boolean
  readonly of: RevisionManifests
}

function expectedBy({kind}: Action, {runs, replacesImages, of}: ExpectedInputs): Expected {
  const past = pastSeconds(runs, {kind, replacesImages})
  if (past.length > 0) return {seconds: Math.round(median(past) * 10) / 10, runs: past.length}
  const {earlier, after} = of
  const [before = []] = earlier
  return modelled({before, after}, {kind: kind === 'install' ? kind : 'upgrade', replacesImages})
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

/** How many actions run at a time. */
export interface Concurrency {
  readonly concurrency: number
  /** When a started action frees its slot: when helm has ended, or when its gate has passed. */
  readonly startCondition: 'helm' | 'gate'
}

/**
 * Returns how long a plan takes: where each action keeps its slot until its gate has passed, as long as its
 * actions take in the slots, else as the longest path through it, or helm for all of them.
 */
export function totalSeconds(
  {actions, forecast: of = []}: Pick<Plan, 'actions' | 'forecast'>,
  {concurrency, startCondition}: Concurrency,
): number {
  const seconds = new Map(of.map((each) => [each.release, each.seconds]))
  const secondsOf = (release: ReleaseId) => seconds.get(release) ?? 0
  if (startCondition === 'helm') {
    const path = criticalPath(actionGraph(actions), secondsOf)
    const longest = path.reduce((sum, release) => sum + secondsOf(release), 0)
    return Math.max(longest, (of.length * Math.min(HELM_SECONDS, ...seconds.values())) / concurrency)
  }
  const slots = Array.from({length: concurrency}, () => 0)
  const ended = new Map<ReleaseId, number>()
  for (const {release, requires} of actions) {
    if (!seconds.has(release)) continue
    const free = slots.indexOf(Math.min(...slots))
    const start = Math.max(slots[free]!, ...requires.map((required) => ended.get(required.release) ?? 0))
    slots[free] = start + secondsOf(release)
    ended.set(release, slots[free])
  }
  return Math.max(0, ...ended.values())
}

/**
 * Returns whether an action took notably longer or shorter than expected: by a quarter, and by ten seconds.
 */
export function isUnexpected(expected: Pick<Expected, 'seconds'>, seconds: number): boolean {
  return Math.abs(seconds - expected.seconds) > Math.max(10, expected.seconds / 4)
}
