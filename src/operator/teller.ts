import {isChange} from '../plan/plan.ts'
import {isUnseenNote} from '../prepare/seen-records.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../release.ts'
import {newWriter} from '../run/writer.ts'
import type {Planned} from './decide.ts'
import type {Events, Happening} from './events.ts'
import {environmentFindings, healthFinding, type Phase, progressFindings, stillKnown} from './findings.ts'
import type {Keeper} from './keeper.ts'
import {type Condition, conditionsOf, type Finding, timeText} from './kinds/conditions.ts'
import {ENVIRONMENTS, type EnvironmentObject, type EnvironmentStatus} from './kinds/environment-kind.ts'
import {
  ENVIRONMENT_LABEL,
  RELEASES,
  type ReleaseSpec,
  type ReleaseStatus,
  rowName,
} from './kinds/release-kind.ts'
import type {Memory, Telling} from './pass.ts'

export interface TellerOptions {
  readonly environments: Keeper
  readonly releases: Keeper
  readonly events: Events
  /** The Releases that were seen, with their UIDs. */
  readonly uids: ReadonlyMap<string, string | undefined>
  /** The condition `Reachable`; undefined where there is nothing to say. */
  readonly reachable: () => Finding | undefined
  /** Told what could not be written; it is written with the next change. */
  readonly onError: (error: unknown) => void
  /** The time, in milliseconds since the epoch. */
  readonly clock?: () => number
}

/** Returns what writes how far one Environment is: its status, and its Releases. */
export function newTeller(
  environment: EnvironmentObject,
  {environments, releases, events, uids, reachable, onError, clock = Date.now}: TellerOptions,
): Telling {
  let phase: Phase = {kind: 'paused'}
  let memory: Memory = rememberedIn(environments.status(environment.metadata.name) ?? environment.status)

  const write = async (): Promise<void> => {
    const rows = rowsOf(phase)
    const {name: own, uid: ownUid, generation: ownGeneration = 1} = environment.metadata
    const now = clock()
    const time = timeText(now)
    const was: EnvironmentStatus = environments.status(own) ?? {}
    const past = {generation: ownGeneration, conditions: was.conditions ?? [], now}
    const known = phase.kind === 'unreachable' ? stillKnown(past) : undefined
    const reach = reachable()
    const findings = [...(known ?? environmentFindings(own, phase)), ...(reach ? [reach] : [])]
    const object = statusObject(environment, was, {phase, rows, memory, findings, now: time})
    await environments.keep(object)
    const turn = turnOf(was.conditions, object.status.conditions)
    if (turn) events.tell({kind: ENVIRONMENTS.kind, name: own, uid: ownUid}, turn)
    for (const row of rows) {
      const metadata = rowMetadata(environment, row.release)
      await releases.keep({metadata, spec: row.spec})
      const {name} = metadata
      const before: Before | undefined = releases.status(name)
      const generation = releases.generation(name)
      // Where nothing new is known, what was seen last holds.
      const seen = row.findings.length > 0 ? row.findings : (before?.conditions ?? [])
      if (seen.length === 0) continue
      const conditions = conditionsOf(seen, before ?? {}, {generation, now: time})
      const status: ReleaseStatus = {
        observedGeneration: generation,
        revision: row.revision ?? before?.revision,
        conditions,
      }
      await releases.keep({metadata: {name}, status})
      const happened = turnOf(before?.conditions, conditions)
      if (happened && (happened.type === 'Warning' || before?.conditions))
        events.tell({kind: RELEASES.kind, name, uid: uids.get(name)}, happened)
    }
    if (phase.kind !== 'unreachable' || known) return
    // What was known of the releases is too old, too.
    const unknown = findings[0]!
    for (const name of uids.keys()) {
      const before: Before & Pick<ReleaseStatus, 'observedGeneration'> = releases.status(name) ?? {}
      const generation = releases.generation(name)
      const conditions = conditionsOf([unknown], before, {generation, now: time})
      await releases.keep({metadata: {name}, status: {...before, conditions}})
    }
  }
  const writer = newWriter(write, PAUSE)
  return {
    async tell(next, remembered) {
      phase = next
      memory = {...memory, ...remembered}
      await writer.last()
      const trouble = writer.takeTrouble()
      if (trouble !== undefined) throw trouble
    },
    remember(remembered) {
      memory = {...memory, ...remembered}
    },
    tellSoon(next) {
      phase = next
      writer.request()
      const trouble = writer.takeTrouble()
      if (trouble !== undefined) onError(trouble)
    },
  }
}

/** Who follows a run looks about once a second; each write costs the API server as much as a small part of a helm. */
const PAUSE = 1000

/** Returns what is to be told of an object whose condition `Ready` turned: not of what is only under way. */
function turnOf(before: readonly Condition[] = [], after: readonly Condition[] = []): Happening | undefined {
  const readyIn = (conditions: readonly Condition[]) => conditions.find(({type}) => type === 'Ready')
  const [was, is] = [readyIn(before), readyIn(after)]
  if (!is || (was?.status === is.status && was.reason === is.reason) || QUIET.has(is.reason)) return undefined
  const isWell = is.status === 'True' || WELL.has(is.reason)
  return {type: isWell ? 'Normal' : 'Warning', reason: is.reason, message: is.message}
}

const WELL: ReadonlySet<string> = new Set(['WaitingForApproval', 'WaitingForEnvironments', 'Suspended'])
const QUIET: ReadonlySet<string> = new Set([
  'Running',
  'Removing',
  'Waiting',
  'Skipped',
  'NotInstalled',
  'Outdated',
])

interface Before {
  readonly revision?: number
  readonly conditions?: readonly Condition[]
}

function rememberedIn(status: EnvironmentStatus = {}): Memory {
  const {inputs, approved, begun, failed, deployed, retried, run} = status
  return {inputs, approved, begun, failed, deployed, retried, run}
}

interface Told {
  readonly phase: Phase
  readonly rows: readonly Row[]
  readonly memory: Memory
  readonly findings: readonly Finding[]
  readonly now: string
}

function statusObject(
  {metadata, spec}: EnvironmentObject,
  before: EnvironmentStatus,
  {phase, rows, memory, findings, now}: Told,
) {
  const {name, generation = 1} = metadata
  const planned = 'planned' in phase ? phase.planned : undefined
  const {required = [], after = []} = spec.approval ?? {}
  const isChecked = planned && required.length + after.length > 0
  const approved = isChecked && !findings.some(({type}) => type === 'Approved')
  const status: EnvironmentStatus = {
    ...memory,
    // Of a run that is about to begin none: the last one's would be taken for it.
    ...('run' in phase && {run: phase.run.run || undefined}),
    observedGeneration: generation,
    summary: planned ? summaryOf(rows) : before.summary,
    plan: planned ? planStatus({...planned, plan: planned.stage.plan}) : before.plan,
    removal: removalOf(phase, before),
    cluster: before.cluster,
    steady: steadyOf({phase, findings, now}, generation, before),
    conditions: conditionsOf([...findings, ...(approved ? [APPROVED] : [])], before, {generation, now}),
  }
  return {metadata: {name}, status}
}

const APPROVED: Finding = {
  type: 'Approved',
  status: 'True',
  reason: 'Approved',
  message: 'nothing of the plan waits for approval',
}

/** Returns since when it is ready, with the same generation and the same inputs. */
function steadyOf(
  {phase, findings, now}: Pick<Told, 'phase' | 'findings' | 'now'>,
  generation: number,
  {steady: before}: EnvironmentStatus,
): EnvironmentStatus['steady'] {
  const isReady = findings.some(({type, status}) => type === 'Ready' && status === 'True')
  if (!isReady) return undefined
  // What is still known of a cluster that does not answer.
  if (phase.kind !== 'deployed') return before
  const {source} = phase
  const isSame = before?.generation === generation && before.source === source
  return isSame ? before : {since: now, generation, source}
}

/** Returns a plan as the status of its Environment has it, without the note that the operator sees no other namespaces: it never may. */
export function planStatus({
  plan,
  digest,
  notes = [],
}: Pick<Planned, 'plan' | 'digest' | 'notes'>): NonNullable<EnvironmentStatus['plan']> {
  const actions = plan.actions.filter(isChange).map(({kind, release}) => `${kind} ${release}`)
  const all = [...new Set([...(plan.notes ?? []), ...notes])].filter((note) => !isUnseenNote(note))
  const noted = actions.length === 0 ? [] : all
  return {digest, actions, ...(noted.length > 0 && {notes: noted.slice(0, MOST_NOTES)})}
}

/** An object of the API server holds 1.5 MB, and etcd keeps each of its versions. */
const MOST_NOTES = 50

/** What the file names no more is looked at only where nothing else is to be done. */
function removalOf(phase: Phase, before: EnvironmentStatus): EnvironmentStatus['removal'] {
  if (phase.kind === 'deployed' && phase.unwanted) {
    const {digest, releases, kept} = phase.unwanted
    return {digest, releases, kept}
  }
  return phase.kind === 'removing' || phase.kind === 'unreachable' ? before.removal : undefined
}

interface Row {
  readonly release: ReleaseId
  readonly spec: ReleaseSpec
  readonly revision: number | undefined
  readonly findings: readonly Finding[]
}

function summaryOf(rows: readonly Row[]): string {
  const ready = rows.filter(({findings}) =>
    findings.some(({type, status}) => type === 'Ready' && status === 'True'),
  )
  return `${ready.length}/${rows.length}`
}

/** Returns the Releases of a phase that has a plan, with what is known of each. */
function rowsOf(phase: Phase): readonly Row[] {
  if (!('planned' in phase)) return []
  const knownOf = knownIn(phase)
  return phase.planned.plan.actions.flatMap((action): Row[] => {
    const {release, kind, chart, inputs, requires, revision} = action
    const spec = {
      release: {namespace: releaseNamespace(release), name: releaseName(release)},
      section: phase.planned.parts?.get(releaseName(release))?.section,
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
    const known = knownOf(release)
    // Before a run tells of what it is about to change.
    const isAhead = phase.kind === 'running' && known.findings.length === 0 && isChange(action)
    const findings = isAhead ? progressFindings({state: 'waiting'}) : known.findings
    return [{release, spec, revision: known.revision ?? (revision || undefined), findings}]
  })
}

interface Known {
  readonly revision?: number
  readonly findings: readonly Finding[]
}

/** Returns what a phase tells of a release. */
function knownIn(phase: Phase): (release: ReleaseId) => Known {
  if ('releases' in phase) {
    const releases = new Map(phase.releases.map((each) => [each.release, each]))
    return (release) => {
      const found = releases.get(release)
      return found ? {revision: found.revision, findings: [healthFinding(found)]} : {findings: []}
    }
  }
  return (release) => {
    const progress = phase.kind === 'running' ? phase.run.releases.get(release)?.progress : undefined
    if (!progress) return {findings: []}
    return {
      ...(progress.state === 'succeeded' && {revision: progress.revision}),
      findings: progressFindings(progress),
    }
  }
}

/** The Release goes with its Environment; to delete it removes nothing from the cluster. */
function rowMetadata({metadata}: EnvironmentObject, release: ReleaseId) {
  const {name, uid = ''} = metadata
  return {
    name: rowName(name, release),
    labels: {[ENVIRONMENT_LABEL]: name},
    ownerReferences: [{apiVersion: ENVIRONMENTS.apiVersion, kind: ENVIRONMENTS.kind, name, uid}],
  }
}
