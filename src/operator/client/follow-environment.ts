import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import {KK_NAMESPACE} from '../../kubernetes/lease/lease.ts'
import type {Leases} from '../../kubernetes/lease/leases.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import type {ActionKind} from '../../plan/plan.ts'
import {type ReleaseId, releaseId} from '../../release.ts'
import type {RunEvent} from '../../run/events.ts'
import {NO_RUN, nextState, type RunState} from '../../run/run-state.ts'
import {finished, newBell} from '../../verbs/in-cluster/follow-run.ts'
import type {Condition} from '../crds/conditions.ts'
import {ENVIRONMENTS, type EnvironmentObject, type EnvironmentStatus} from '../crds/environment.ts'
import {ENVIRONMENT_LABEL, RELEASES, type ReleaseObject} from '../crds/release.ts'
import {requestedRetry} from '../decision.ts'
import {inputsDigest, readSource} from '../source.ts'
import {existingEnvironment, hasLeader, unknownEnvironment} from './environment-commands.ts'

/** How what the operator does to an Environment has ended. */
export interface OperatedEnd {
  readonly kind: 'done' | 'failed' | 'unapproved' | 'paused'
  /** A code of kk where its inputs allow no plan. */
  readonly reason: string
  readonly message: string
}

export interface FollowedEnvironment {
  /** What is done to its releases, as one run. */
  readonly events: AsyncIterable<RunEvent>
  /** Undefined where it was followed no longer. */
  readonly end: () => OperatedEnd | undefined
}

interface Followed {
  readonly name: string
  readonly context: string
}

/** Follows what the operator does with an Environment, once it has read its inputs, until it is done with them, or `stop`. Throws `KK_NO_OPERATED`. */
export function followEnvironment(
  cluster: {readonly objects: Objects; readonly apiServer: ApiServer; readonly leases: Leases},
  {name, context}: Followed,
  stop: AbortSignal,
): FollowedEnvironment {
  const {objects} = cluster
  let end: OperatedEnd | undefined
  return {events: events(), end: () => end}

  async function* events(): AsyncGenerator<RunEvent> {
    // A cluster without the kind is followed until it has it.
    await existingEnvironment(cluster, name)
    const closing = new AbortController()
    const signal = AbortSignal.any([stop, closing.signal])
    const scope = {fieldSelector: `metadata.name=${name}`}
    const environments = objects.follow(ENVIRONMENTS, KK_NAMESPACE, signal, scope)
    const releases = objects.follow(RELEASES, KK_NAMESPACE, signal)
    const bell = newBell([environments, releases], stop)
    const told = newRunTranslator(name, context)
    const isRead = newInputsCheck(objects)
    try {
      if (!(await hasLeader(cluster.leases)))
        yield* told.warning('no process of the operator leads now: nothing is done until one does')
      while (!stop.aborted) {
        const environment = environments.get(name) as unknown as EnvironmentObject | undefined
        if (environments.isListed() && !environment) throw unknownEnvironment(name)
        const problem = environments.problem() ?? releases.problem()
        if (problem) yield* told.warning(problem.message)
        const ready = environment && releases.isListed() && (await currentReady(environment, isRead))
        if (ready) {
          end = findEnd(ready, environment.status?.conditions ?? [])
          // The end may be seen before what the Releases have said until then.
          const all = end && (await objects.list<ReleaseRow>(RELEASES, KK_NAMESPACE))
          const rows = (all ?? (releases.all() as unknown as readonly ReleaseRow[])).filter(
            ({metadata}) => metadata.labels?.[ENVIRONMENT_LABEL] === name,
          )
          if (!end || hasRun(end) || told.isBegun()) yield* told.rows(environment, rows)
          if (end) {
            yield* told.rest(end, rows)
            return
          }
          if (!IN_PROGRESS.has(ready.reason)) yield* told.warning(ready.message)
        }
        await bell()
      }
    } finally {
      closing.abort()
    }
  }
}

type ReleaseRow = ReleaseObject & {readonly metadata: {readonly generation?: number}}

/** What is said of a release while no run is under way. */
const REASONS_WITHOUT_RUN: ReadonlySet<string> = new Set(['NotInstalled', 'Outdated', 'Unhealthy'])
const IN_PROGRESS: ReadonlySet<string> = new Set(['Running', 'Removing'])

function isInProgress({conditions = []}: EnvironmentStatus): boolean {
  return conditions.some(({type, reason}) => type === 'Ready' && IN_PROGRESS.has(reason))
}

/** Returns what the operator says of an Environment with the inputs that it has now; nothing until it has read them. */
async function currentReady(environment: EnvironmentObject, isRead: ReturnType<typeof newInputsCheck>) {
  const {metadata, status = {}} = environment
  const ready = status.conditions?.find(({type}) => type === 'Ready')
  if ((status.observedGeneration ?? 0) < (metadata.generation ?? 1)) return undefined
  // What is paused reads no inputs.
  return ready?.reason === 'Suspended' || (await isRead(environment)) ? ready : undefined
}

/**
 * Tells whether the operator has read what the sources of an Environment hold, which are asked for when it has read something else. An
 * artifact is pinned by the spec; and who may not read them takes what the operator says.
 */
function newInputsCheck(objects: Pick<Objects, 'read'>) {
  let known: string | undefined
  return async (environment: EnvironmentObject): Promise<boolean> => {
    const {spec, metadata, status} = environment
    if (spec.source.oci !== undefined) return true
    if (known === undefined || status?.inputs !== known) {
      const source = await readSource(environment, objects).catch(() => undefined)
      known = source && inputsDigest(source, requestedRetry(metadata))
    }
    return known === undefined || status?.inputs === known
  }
}

/** By the reasons that `environmentFindings` gives; undefined while it goes on. */
function findEnd({status, reason, message}: Condition, all: readonly Condition[]): OperatedEnd | undefined {
  if (status === 'True') return {kind: 'done', reason, message}
  if (reason === 'Suspended') return {kind: 'paused', reason, message}
  if (reason === 'WaitingForApproval') return {kind: 'unapproved', reason, message}
  return all.some(({type}) => type === 'Stalled') ? {kind: 'failed', reason, message} : undefined
}

/** Whether that is how a run has ended; else none has begun, or it is stopped until somebody says so. */
function hasRun({kind}: OperatedEnd): boolean {
  return kind === 'done' || kind === 'failed'
}

/** Tells the Releases of an Environment as one run. */
function newRunTranslator(name: string, context: string) {
  let state: RunState = NO_RUN
  /** Those that were seen waiting or at work: what is told of others may be of a time before. */
  const open = new Set<ReleaseId>()
  const warned = new Set<string>()
  const isBegun = () => state.startedAt > 0

  function* tell(...events: readonly RunEvent[]): Generator<RunEvent> {
    for (const event of events) {
      state = nextState(state, event)
      yield event
    }
  }

  function* row(each: ReleaseRow, at: number): Generator<RunEvent> {
    const release = getReleaseId(each)
    const known = state.releases.get(release)
    const ready = each.status?.conditions?.find(({type}) => type === 'Ready')
    const isCurrent = (ready?.observedGeneration ?? 0) >= (each.metadata.generation ?? 1)
    if (!known || !ready || !isCurrent) return
    const {kind, progress} = known
    const seconds = progress.state === 'running' ? (at - progress.since) / 1000 : 0
    const {reason, message} = ready
    if (reason === 'Waiting' || reason === 'Running') open.add(release)
    if (!open.has(release) || reason === 'Waiting' || REASONS_WITHOUT_RUN.has(reason)) return
    if (reason === 'Running') {
      if (progress.state !== 'running') yield* tell({type: 'release-started', at, release, kind})
      const said = parseProgress(message)
      if (progress.state !== 'running' || progress.message !== said.message)
        yield* tell({type: 'release-progressed', at, release, ...said})
      return
    }
    open.delete(release)
    if (ready.status === 'True') {
      const revision = each.status?.revision ?? 0
      yield* tell({type: 'release-succeeded', at, release, kind, revision, seconds})
    } else if (reason === 'Skipped') {
      const because = /^not begun: (\S+) has failed$/.exec(message)?.[1] as ReleaseId | undefined
      yield* tell({type: 'release-skipped', at, release, because, reason: 'failed'})
    } else {
      yield* tell({type: 'release-failed', at, release, error: {code: reason, message, log: []}, seconds})
    }
  }

  return {
    isBegun,
    /** What the Releases say that was not told yet. */
    *rows({status = {}}: EnvironmentObject, rows: readonly ReleaseRow[]): Generator<RunEvent> {
      const at = Date.now()
      if (!isBegun()) {
        // The operator says which it is once it has begun.
        if (status.run === undefined && isInProgress(status)) return
        const actions = plannedActions(status.plan?.actions ?? [], rows)
        // Those that have not been written yet could not be told of.
        if (!actions) return
        yield* tell({type: 'run-started', at, run: status.run ?? name, environment: name, context, actions})
      }
      for (const each of rows) yield* row(each, at)
    },
    *warning(message: string): Generator<RunEvent> {
      if (warned.has(message)) return
      warned.add(message)
      yield* tell({type: 'run-warned', at: Date.now(), message})
    },
    /** What follows from the end where the Releases have not said it. */
    *rest(end: OperatedEnd, rows: readonly ReleaseRow[]): Generator<RunEvent> {
      if (!isBegun()) return
      const at = Date.now()
      const isDone = end.kind === 'done'
      const stopped = hasRun(end) ? 'skipped' : 'interrupted'
      for (const {release, kind: action, progress} of state.releases.values()) {
        if (progress.state !== 'waiting' && progress.state !== 'running') continue
        const seconds = progress.state === 'running' ? (at - progress.since) / 1000 : 0
        const revision = rows.find((each) => getReleaseId(each) === release)?.status?.revision ?? 0
        yield* tell(
          isDone
            ? {type: 'release-succeeded', at, release, kind: action, revision, seconds}
            : {type: 'release-skipped', at, release, because: undefined, reason: stopped},
        )
      }
      yield* tell(
        finished(state, {at, outcome: isDone ? 'succeeded' : hasRun(end) ? 'failed' : 'interrupted'}),
      )
    },
  }
}

function getReleaseId({spec: {release}}: ReleaseRow): ReleaseId {
  return releaseId(release.namespace, release.name)
}

type Announced = Extract<RunEvent, {type: 'run-started'}>['actions']

/** Returns the actions of a plan and what it leaves alone; undefined until each of them has its Release. */
function plannedActions(planned: readonly string[], rows: readonly ReleaseRow[]): Announced | undefined {
  const kinds = new Map(
    planned.map((action) => action.split(' ') as [ActionKind, ReleaseId]).map(([kind, id]) => [id, kind]),
  )
  const places = [...kinds.keys()]
  const known = new Map(rows.map((each) => [getReleaseId(each), each]))
  if (places.some((release) => known.get(release)?.spec.action !== kinds.get(release))) return undefined
  const rest = [...known.keys()].filter((release) => !kinds.has(release)).toSorted()
  return [...places, ...rest].map((release) => {
    const {requires} = known.get(release)!.spec
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

/** Splits what a Release says of the work on it, as `progressFindings` has put it together. */
function parseProgress(text: string): {readonly phase: Phase; readonly message: string} {
  const [, phase, message] = /^(validate|lease|helm|gate) (.+)$/s.exec(text) ?? []
  return phase === undefined ? {phase: 'gate', message: text} : {phase: phase as Phase, message: message!}
}
