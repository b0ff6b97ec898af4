import {isChange} from '../plan/plan.ts'
import {isUnseenNote} from '../prepare/visible-records.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../release.ts'
import {newWriter} from '../run/writer.ts'
import type {ApplyCache} from './apply-cache.ts'
import {
  conditionsWhileUnreachable,
  type EnvironmentState,
  environmentConditions,
  healthCondition,
  progressConditions,
} from './condition-inputs.ts'
import {type Condition, type ConditionInput, formatTime, mergeConditions} from './crds/conditions.ts'
import {ENVIRONMENTS, type EnvironmentObject, type EnvironmentStatus} from './crds/environment.ts'
import {
  ENVIRONMENT_LABEL,
  RELEASES,
  type ReleaseSpec,
  type ReleaseStatus,
  releaseObjectName,
} from './crds/release.ts'
import type {Planned} from './decision.ts'
import type {EventContent, EventRecorder} from './event-recorder.ts'
import type {Memory, StatusWriter} from './reconcile-context.ts'

export interface StatusWriterOptions {
  readonly environments: ApplyCache
  readonly releases: ApplyCache
  readonly events: EventRecorder
  /** The UIDs of the observed Releases, by name. */
  readonly uids: ReadonlyMap<string, string | undefined>
  /**
   * Returns the condition `Reachable`; undefined for the operator's own cluster and before a connection
   * attempt.
   */
  readonly reachable: () => ConditionInput | undefined
  /** Called with the error of a debounced write; the next write includes the change. */
  readonly onError: (error: unknown) => void
  /** The time, in milliseconds since the epoch. */
  readonly clock?: () => number
}

/** Returns a writer of the status of one Environment and of its Releases. */
export function newStatusWriter(
  environment: EnvironmentObject,
  {environments, releases, events, uids, reachable, onError, clock = Date.now}: StatusWriterOptions,
): StatusWriter {
  let state: EnvironmentState = {kind: 'paused'}
  let memory: Memory = memoryFrom(environments.status(environment.metadata.name) ?? environment.status)

  const write = async (): Promise<void> => {
    const rows = releaseEntries(state)
    const {name: own, uid: ownUid, generation: ownGeneration = 1} = environment.metadata
    const now = clock()
    const time = formatTime(now)
    const previous: EnvironmentStatus = environments.status(own) ?? {}
    const past = {generation: ownGeneration, conditions: previous.conditions ?? [], now}
    const earlier = state.kind === 'unreachable' ? conditionsWhileUnreachable(past) : undefined
    const reach = reachable()
    const conditions = [...(earlier ?? environmentConditions(own, state)), ...(reach ? [reach] : [])]
    const object = statusObject(environment, previous, {state, rows, memory, conditions, now: time})
    await environments.apply(object)
    const transition = readinessTransition(previous.conditions, object.status.conditions)
    if (transition) events.record({kind: ENVIRONMENTS.kind, name: own, uid: ownUid}, transition)
    for (const row of rows) {
      const metadata = releaseMetadata(environment, row.release)
      await releases.apply({metadata, spec: row.spec})
      const {name} = metadata
      const before: Before | undefined = releases.status(name)
      const generation = releases.generation(name)
      // Without new conditions the last ones stay.
      const current = row.conditions.length > 0 ? row.conditions : (before?.conditions ?? [])
      if (current.length === 0) continue
      const conditions = mergeConditions(current, before ?? {}, {generation, now: time})
      const status: ReleaseStatus = {
        observedGeneration: generation,
        revision: row.revision ?? before?.revision,
        conditions,
      }
      await releases.apply({metadata: {name}, status})
      const transition = readinessTransition(before?.conditions, conditions)
      if (transition && (transition.type === 'Warning' || before?.conditions))
        events.record({kind: RELEASES.kind, name, uid: uids.get(name)}, transition)
    }
    if (state.kind !== 'unreachable' || earlier) return
    // The conditions of the Releases are outdated, too.
    const unknown = conditions[0]!
    for (const name of uids.keys()) {
      const before: Before & Pick<ReleaseStatus, 'observedGeneration'> = releases.status(name) ?? {}
      const generation = releases.generation(name)
      const conditions = mergeConditions([unknown], before, {generation, now: time})
      await releases.apply({metadata: {name}, status: {...before, conditions}})
    }
  }
  const writer = newWriter(write, WRITE_INTERVAL_MS)
  return {
    async write(next, remembered) {
      state = next
      memory = {...memory, ...remembered}
      await writer.last()
      const trouble = writer.takeTrouble()
      if (trouble !== undefined) throw trouble
    },
    setMemory(remembered) {
      memory = {...memory, ...remembered}
    },
    writeDebounced(next) {
      state = next
      writer.request()
      const trouble = writer.takeTrouble()
      if (trouble !== undefined) onError(trouble)
    },
  }
}

/**
 * Debounce interval of status writes, in milliseconds: a write costs the API server about as much as a small
 * Helm operation.
 */
const WRITE_INTERVAL_MS = 1000

/**
 * Returns the Event for a changed condition `Ready`; undefined for no change, and for states of a run in
 * progress.
 */
function readinessTransition(
  before: readonly Condition[] = [],
  after: readonly Condition[] = [],
): EventContent | undefined {
  const readyIn = (conditions: readonly Condition[]) => conditions.find(({type}) => type === 'Ready')
  const [wasReady, isReady] = [readyIn(before), readyIn(after)]
  if (
    !isReady ||
    (wasReady?.status === isReady.status && wasReady.reason === isReady.reason) ||
    SILENT_REASONS.has(isReady.reason)
  )
    return undefined
  const isWell = isReady.status === 'True' || NORMAL_REASONS.has(isReady.reason)
  return {type: isWell ? 'Normal' : 'Warning', reason: isReady.reason, message: isReady.message}
}

const NORMAL_REASONS: ReadonlySet<string> = new Set([
  'WaitingForApproval',
  'WaitingForEnvironments',
  'Suspended',
])
const SILENT_REASONS: ReadonlySet<string> = new Set([
  'Running',
  'Removing',
  'Testing',
  'Waiting',
  'Skipped',
  'NotInstalled',
  'Outdated',
])

interface Before {
  readonly revision?: number
  readonly conditions?: readonly Condition[]
}

function memoryFrom(status: EnvironmentStatus = {}): Memory {
  const {inputs, approved, begun, failed, deployed, tested, retried, run} = status
  return {inputs, approved, begun, failed, deployed, tested, retried, run}
}

interface StatusInput {
  readonly state: EnvironmentState
  readonly rows: readonly ReleaseEntry[]
  readonly memory: Memory
  readonly conditions: readonly ConditionInput[]
  readonly now: string
}

function statusObject(
  {metadata, spec}: EnvironmentObject,
  before: EnvironmentStatus,
  {state, rows, memory, conditions, now}: StatusInput,
) {
  const {name, generation = 1} = metadata
  const planned = 'planned' in state ? state.planned : undefined
  const {required = [], after = []} = spec.approval ?? {}
  const needsApproval = planned && required.length + after.length > 0
  const approved = needsApproval && !conditions.some(({type}) => type === 'Approved')
  const status: EnvironmentStatus = {
    ...memory,
    // A run that is about to start has no ID yet; the ID of the last run must not be taken for it.
    ...('run' in state && {run: state.run.run || undefined}),
    observedGeneration: generation,
    summary: planned ? formatSummary(rows) : before.summary,
    plan: planned ? planStatus({...planned, plan: planned.stage.plan}) : before.plan,
    removal: removalStatus(state, before),
    cluster: before.cluster,
    steady: nextSteady({state, conditions, now}, generation, before),
    conditions: mergeConditions([...conditions, ...(approved ? [APPROVED] : [])], before, {generation, now}),
  }
  return {metadata: {name}, status}
}

const APPROVED: ConditionInput = {
  type: 'Approved',
  status: 'True',
  reason: 'Approved',
  message: 'no action of the plan waits for approval',
}

/**
 * Returns since when the Environment has been ready with the same generation and inputs; undefined if it is
 * not ready.
 */
function nextSteady(
  {state, conditions, now}: Pick<StatusInput, 'state' | 'conditions' | 'now'>,
  generation: number,
  {steady: before}: EnvironmentStatus,
): EnvironmentStatus['steady'] {
  const isReady = conditions.some(({type, status}) => type === 'Ready' && status === 'True')
  if (!isReady) return undefined
  // Conditions kept while the cluster does not answer.
  if (state.kind !== 'deployed') return before
  const {source} = state
  const isSame = before?.generation === generation && before.source === source
  return isSame ? before : {since: now, generation, source}
}

/**
 * Returns `status.plan` of a plan, without the note on namespaces that cannot be read: the operator never
 * can.
 */
export function planStatus({
  plan,
  digest,
  notes = [],
}: Pick<Planned, 'plan' | 'digest' | 'notes'>): NonNullable<EnvironmentStatus['plan']> {
  const actions = plan.actions.filter(isChange).map(({kind, release}) => `${kind} ${release}`)
  const all = [...new Set([...(plan.notes ?? []), ...notes])].filter((note) => !isUnseenNote(note))
  const relevant = actions.length === 0 ? [] : all
  return {digest, actions, ...(relevant.length > 0 && {notes: relevant.slice(0, MAX_NOTES)})}
}

/** The API server limits objects to 1.5 MB, and etcd stores every version. */
const MAX_NOTES = 50

/** Returns `status.removal`. Releases to remove are searched only if the plan has no other changes. */
function removalStatus(state: EnvironmentState, before: EnvironmentStatus): EnvironmentStatus['removal'] {
  if (state.kind === 'deployed' && state.unwanted) {
    const {digest, releases, kept} = state.unwanted
    return {digest, releases, kept}
  }
  return state.kind === 'removing' || state.kind === 'unreachable' ? before.removal : undefined
}

interface ReleaseEntry {
  readonly release: ReleaseId
  readonly spec: ReleaseSpec
  readonly revision: number | undefined
  readonly conditions: readonly ConditionInput[]
}

function formatSummary(rows: readonly ReleaseEntry[]): string {
  const ready = rows.filter(({conditions}) =>
    conditions.some(({type, status}) => type === 'Ready' && status === 'True'),
  )
  return `${ready.length}/${rows.length}`
}

/** Returns an entry for each release of the plan; none for a state without a plan. */
function releaseEntries(state: EnvironmentState): readonly ReleaseEntry[] {
  if (!('planned' in state)) return []
  const releaseState = releaseStates(state)
  return state.planned.plan.actions.flatMap((action): ReleaseEntry[] => {
    const {release, kind, chart, inputs, requires, revision} = action
    const spec = {
      release: {namespace: releaseNamespace(release), name: releaseName(release)},
      section: state.planned.parts?.get(releaseName(release))?.section,
      chart: {name: chart.name, version: chart.version},
      inputs,
      action: kind as ReleaseSpec['action'],
      requires: requires.map((each) => ({
        namespace: releaseNamespace(each.release),
        name: releaseName(each.release),
        kind: each.kind,
      })),
      protected: action.protected,
    }
    const current = releaseState(release)
    // A change that the run has not reported yet.
    const isPending = state.kind === 'running' && current.conditions.length === 0 && isChange(action)
    const conditions = isPending ? progressConditions({state: 'waiting'}) : current.conditions
    return [{release, spec, revision: current.revision ?? (revision || undefined), conditions}]
  })
}

interface ReleaseState {
  readonly revision?: number
  readonly conditions: readonly ConditionInput[]
}

/** Returns a function that returns the state of a release. */
function releaseStates(state: EnvironmentState): (release: ReleaseId) => ReleaseState {
  if ('releases' in state) {
    const releases = new Map(state.releases.map((each) => [each.release, each]))
    return (release) => {
      const status = releases.get(release)
      return status ? {revision: status.revision, conditions: [healthCondition(status)]} : {conditions: []}
    }
  }
  return (release) => {
    const progress = state.kind === 'running' ? state.run.releases.get(release)?.progress : undefined
    if (!progress) return {conditions: []}
    return {
      ...(progress.state === 'succeeded' && {revision: progress.revision}),
      conditions: progressConditions(progress),
    }
  }
}

/**
 * Returns the metadata of a Release, which is garbage-collected with its Environment; its deletion removes no
 * Helm release.
 */
function releaseMetadata({metadata}: EnvironmentObject, release: ReleaseId) {
  const {name, uid = ''} = metadata
  return {
    name: releaseObjectName(name, release),
    labels: {[ENVIRONMENT_LABEL]: name},
    ownerReferences: [{apiVersion: ENVIRONMENTS.apiVersion, kind: ENVIRONMENTS.kind, name, uid}],
  }
}
