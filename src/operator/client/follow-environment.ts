import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import type {Leases} from '../../kubernetes/lease/leases.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import type {ActionKind} from '../../plan/plan.ts'
import {type ReleaseId, releaseId} from '../../release.ts'
import type {RunEvent} from '../../run/events.ts'
import {NO_RUN, nextState, type RunState} from '../../run/run-state.ts'
import {finished, newChangeSignal} from '../../verbs/in-cluster/follow-run.ts'
import type {Condition} from '../crds/conditions.ts'
import {ENVIRONMENTS, type EnvironmentObject, type EnvironmentStatus} from '../crds/environment.ts'
import {ENVIRONMENT_LABEL, RELEASES, type ReleaseObject} from '../crds/release.ts'
import {requestedRetry} from '../decision.ts'
import {inputsDigest, readSource} from '../source.ts'
import {existingEnvironment, hasLeader, unknownEnvironment} from './environment-commands.ts'

/** How the reconciliation of an Environment has ended. */
export interface OperatedEnd {
  readonly kind: 'done' | 'failed' | 'unapproved' | 'paused'
  /** The reason of the condition `Ready`; an error code of kk if planning has failed. */
  readonly reason: string
  readonly message: string
}

export interface FollowedEnvironment {
  /** The changes of its releases as events of one run. */
  readonly events: AsyncIterable<RunEvent>
  /** Returns the end; undefined if following was stopped before. */
  readonly end: () => OperatedEnd | undefined
}

interface Followed {
  readonly name: string
  readonly context: string
}

/**
 * Follows the reconciliation of the current inputs of an Environment until it ends, or `stop`. Throws
 * `KK_NO_OPERATED`.
 */
export function followEnvironment(
  cluster: {readonly objects: Objects; readonly apiServer: ApiServer; readonly leases: Leases},
  {name, context}: Followed,
  stop: AbortSignal,
): FollowedEnvironment {
  const {objects} = cluster
  let end: OperatedEnd | undefined
  return {events: events(), end: () => end}

  async function* events(): AsyncGenerator<RunEvent> {
    // Throws without the CRD; a watch would wait until it is installed.
    await existingEnvironment(cluster, name)
    const closing = new AbortController()
    const signal = AbortSignal.any([stop, closing.signal])
    const scope = {fieldSelector: `metadata.name=${name}`}
    const environments = objects.follow(ENVIRONMENTS, KK_NAMESPACE, signal, scope)
    const releases = objects.follow(RELEASES, KK_NAMESPACE, signal)
    const bell = newChangeSignal([environments, releases], stop)
    const translator = newRunTranslator(name, context)
    const areInputsRead = newInputsCheck(objects)
    try {
      if (!(await hasLeader(cluster.leases)))
        yield* translator.warning('no process of the operator leads now: nothing is deployed until one does')
      while (!stop.aborted) {
        const environment = environments.get(name) as unknown as EnvironmentObject | undefined
        if (environments.isListed() && !environment) throw unknownEnvironment(name)
        const problem = environments.problem() ?? releases.problem()
        if (problem) yield* translator.warning(problem.message)
        const ready = environment && releases.isListed() && (await currentReady(environment, areInputsRead))
        if (ready) {
          end = findEnd(ready, environment.status?.conditions ?? [])
          // The watch of Releases can lag behind that of the Environment.
          const all = end && (await objects.list<ReleaseRow>(RELEASES, KK_NAMESPACE))
          const rows = (all ?? (releases.all() as unknown as readonly ReleaseRow[])).filter(
            ({metadata}) => metadata.labels?.[ENVIRONMENT_LABEL] === name,
          )
          if (!end || hasRun(end) || translator.hasStarted()) yield* translator.rows(environment, rows)
          if (end) {
            yield* translator.rest(end, rows)
            return
          }
          if (!IN_PROGRESS.has(ready.reason)) yield* translator.warning(ready.message)
        }
        await bell()
      }
    } finally {
      closing.abort()
    }
  }
}

type ReleaseRow = ReleaseObject & {readonly metadata: {readonly generation?: number}}

/** Reasons of a release without a run in progress. */
const REASONS_WITHOUT_RUN: ReadonlySet<string> = new Set(['NotInstalled', 'Outdated', 'Unhealthy'])
const IN_PROGRESS: ReadonlySet<string> = new Set(['Running', 'Removing', 'Testing'])

function isInProgress({conditions = []}: EnvironmentStatus): boolean {
  return conditions.some(({type, reason}) => type === 'Ready' && IN_PROGRESS.has(reason))
}

/** Returns the condition `Ready` for the current inputs; undefined until the operator has read them. */
async function currentReady(
  environment: EnvironmentObject,
  areInputsRead: ReturnType<typeof newInputsCheck>,
) {
  const {metadata, status = {}} = environment
  const ready = status.conditions?.find(({type}) => type === 'Ready')
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 1)) return undefined
  // The inputs of a paused Environment are not read.
  return ready?.reason === 'Suspended' || (await areInputsRead(environment)) ? ready : undefined
}

/**
 * Returns a check of whether the operator has read the current sources of an Environment, which are read
 * again while the digests differ. An OCI artifact is pinned by the spec. Without the rights to read the
 * sources, the status is taken as current.
 */
function newInputsCheck(objects: Pick<Objects, 'read'>) {
  let current: string | undefined
  return async (environment: EnvironmentObject): Promise<boolean> => {
    const {spec, metadata, status} = environment
    if (spec.source.oci !== undefined) return true
    if (current === undefined || status?.inputs !== current) {
      const source = await readSource(environment, objects).catch(() => undefined)
      current = source && inputsDigest(source, requestedRetry(metadata))
    }
    return current === undefined || status?.inputs === current
  }
}

/** Derives the end from the reasons that `environmentConditions` sets; undefined while it is in progress. */
function findEnd({status, reason, message}: Condition, all: readonly Condition[]): OperatedEnd | undefined {
  if (status === 'True') return {kind: 'done', reason, message}
  if (reason === 'Suspended') return {kind: 'paused', reason, message}
  if (reason === 'WaitingForApproval') return {kind: 'unapproved', reason, message}
  return all.some(({type}) => type === 'Stalled') ? {kind: 'failed', reason, message} : undefined
}

/** Returns whether a run has ended; else none has started, or it waits for approval. */
function hasRun({kind}: OperatedEnd): boolean {
  return kind === 'done' || kind === 'failed'
}

/** Translates the status of the Releases of an Environment into the events of one run. */
function newRunTranslator(name: string, context: string) {
  let state: RunState = NO_RUN
  /** Releases that were observed waiting or running: conditions of others can be older than the run. */
  const open = new Set<ReleaseId>()
  const warned = new Set<string>()
  const hasStarted = () => state.startedAt > 0

  function* emit(...events: readonly RunEvent[]): Generator<RunEvent> {
    for (const event of events) {
      state = nextState(state, event)
      yield event
    }
  }

  function* row(each: ReleaseRow, at: number): Generator<RunEvent> {
    const release = getReleaseId(each)
    const entry = state.releases.get(release)
    const ready = each.status?.conditions?.find(({type}) => type === 'Ready')
    const isCurrent = (ready?.observedGeneration ?? 0) >= (each.metadata.generation ?? 1)
    if (!entry || !ready || !isCurrent) return
    const {kind, progress} = entry
    const seconds = progress.state === 'running' ? (at - progress.since) / 1000 : 0
    const {reason, message} = ready
    if (reason === 'Waiting' || reason === 'Running') open.add(release)
    if (!open.has(release) || reason === 'Waiting' || REASONS_WITHOUT_RUN.has(reason)) return
    if (reason === 'Running') {
      if (progress.state !== 'running') yield* emit({type: 'release-started', at, release, kind})
      const current = parseProgress(message)
      if (progress.state !== 'running' || progress.message !== current.message)
        yield* emit({type: 'release-progressed', at, release, ...current})
      return
    }
    open.delete(release)
    if (ready.status === 'True') {
      const revision = each.status?.revision ?? 0
      yield* emit({type: 'release-succeeded', at, release, kind, revision, seconds})
    } else if (reason === 'Skipped') {
      const because = /^not begun: (\S+) has failed$/.exec(message)?.[1] as ReleaseId | undefined
      yield* emit({type: 'release-skipped', at, release, because, reason: 'failed'})
    } else {
      yield* emit({type: 'release-failed', at, release, error: {code: reason, message, log: []}, seconds})
    }
  }

  return {
    hasStarted,
    /** Yields the changes of the Releases since the last call. */
    *rows({status = {}}: EnvironmentObject, rows: readonly ReleaseRow[]): Generator<RunEvent> {
      const at = Date.now()
      if (!hasStarted()) {
        // The run ID is set once the run has started.
        if (status.run === undefined && isInProgress(status)) return
        const actions = plannedActions(status.plan?.actions ?? [], rows)
        // Waits until every Release is written.
        if (!actions) return
        yield* emit({type: 'run-started', at, run: status.run ?? name, environment: name, context, actions})
      }
      for (const each of rows) yield* row(each, at)
    },
    *warning(message: string): Generator<RunEvent> {
      if (warned.has(message)) return
      warned.add(message)
      yield* emit({type: 'run-warned', at: Date.now(), message})
    },
    /** Yields the remaining events, which follow from the end. */
    *rest(end: OperatedEnd, rows: readonly ReleaseRow[]): Generator<RunEvent> {
      if (!hasStarted()) return
      const at = Date.now()
      const isDone = end.kind === 'done'
      const skipReason = hasRun(end) ? 'skipped' : 'interrupted'
      for (const {release, kind: action, progress} of state.releases.values()) {
        if (progress.state !== 'waiting' && progress.state !== 'running') continue
        const seconds = progress.state === 'running' ? (at - progress.since) / 1000 : 0
        const revision = rows.find((each) => getReleaseId(each) === release)?.status?.revision ?? 0
        yield* emit(
          isDone
            ? {type: 'release-succeeded', at, release, kind: action, revision, seconds}
            : {type: 'release-skipped', at, release, because: undefined, reason: skipReason},
        )
      }
      yield* emit(
        finished(state, {at, outcome: isDone ? 'succeeded' : hasRun(end) ? 'failed' : 'interrupted'}),
      )
    },
  }
}

function getReleaseId({spec: {release}}: ReleaseRow): ReleaseId {
  return releaseId(release.namespace, release.name)
}

type RunActions = Extract<RunEvent, {type: 'run-started'}>['actions']

/** Returns the actions of a plan and its unchanged releases; undefined until every action has its Release. */
function plannedActions(actions: readonly string[], rows: readonly ReleaseRow[]): RunActions | undefined {
  const kinds = new Map(
    actions.map((action) => action.split(' ') as [ActionKind, ReleaseId]).map(([kind, id]) => [id, kind]),
  )
  const planned = [...kinds.keys()]
  const releases = new Map(rows.map((each) => [getReleaseId(each), each]))
  if (planned.some((release) => releases.get(release)?.spec.action !== kinds.get(release))) return undefined
  const rest = [...releases.keys()].filter((release) => !kinds.has(release)).toSorted()
  return [...planned, ...rest].map((release) => {
    const {requires} = releases.get(release)!.spec
    const applied = requires.filter(({kind}) => kind === 'applied').map(requiredReleaseId)
    return {
      release,
      kind: kinds.get(release) ?? 'unchanged',
      requires: requires.map(requiredReleaseId),
      ...(applied.length > 0 && {applied}),
    }
  })
}

function requiredReleaseId({namespace, name}: ReleaseObject['spec']['requires'][number]): ReleaseId {
  return releaseId(namespace, name)
}

type Phase = Extract<RunEvent, {type: 'release-progressed'}>['phase']

/** Parses the message of a running Release, as `progressConditions` formats it. */
function parseProgress(text: string): {readonly phase: Phase; readonly message: string} {
  const [, phase, message] = /^(validate|lease|helm|gate) (.+)$/s.exec(text) ?? []
  return phase === undefined ? {phase: 'gate', message: text} : {phase: phase as Phase, message: message!}
}
