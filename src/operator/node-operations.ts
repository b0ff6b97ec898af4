import {seconds} from '../base/duration.ts'
import {asKkError, type KkError} from '../base/errors.ts'
import {KK_NAMESPACE} from '../kubernetes/lease/lease.ts'
import type {Objects} from '../kubernetes/objects/objects.ts'
import {palette} from '../report/colour.ts'
import {NODE_TEXTS, type NodeChangeTexts, operationText} from '../report/nodes-text.ts'
import {type View, viewText} from '../report/text/view.ts'
import {newWriter} from '../run/writer.ts'
import {NODE_CHANGES, type NodeChange} from '../verbs/nodes/changes.ts'
import {cancelOperations} from '../verbs/nodes/instances.ts'
import {newApplyCache} from './apply-cache.ts'
import {
  type ClusterConnection,
  type ClusterConnectionsOptions,
  openClusterConnections,
  whileClaimed,
} from './cluster-connections.ts'
import {condition, MISSING_RIGHTS_HINT, reconcilingCondition} from './condition-inputs.ts'
import {type ConditionInput, formatTime, mergeConditions} from './crds/conditions.ts'
import {ENVIRONMENT, type EnvironmentObject} from './crds/environment.ts'
import {
  NODE_OPERATION,
  NODE_OPERATIONS,
  type NodeOperationObject,
  type NodeOperationStatus,
} from './crds/node-operation.ts'
import {expectKnownFields} from './crds/versions.ts'
import {isFinal, isTransient} from './decision.ts'
import type {EventRecorder} from './event-recorder.ts'
import {readSource} from './source.ts'
import {type Heartbeat, openWorkQueue, type WorkQueue} from './work-queue.ts'

interface NodeOperationsOptions extends Pick<ClusterConnectionsOptions, 'own' | 'connect'> {
  readonly hub: Objects
  /** The directory of kk's own files. */
  readonly files: string
  readonly findEnvironment: (name: string) => EnvironmentObject | undefined
  readonly events: EventRecorder
  /** Ends the watch. */
  readonly signal: AbortSignal
  /** Interrupts operations, which the next operator continues. */
  readonly stop: AbortSignal
  readonly onError: (name: string, error: unknown) => void
}

/** How long an operation waits for its Environment before it looks for it again. */
const WAIT_MS = 10_000
/** The time beyond the timeout of an operation after which it counts as stuck. */
const HEARTBEAT_MARGIN_MS = 600_000
const WRITE_INTERVAL_MS = 1_000
const MAX_TEXT_LENGTH = 16_384
const PLAIN = palette(0)

/** Carries out NodeOperations until the signal: those of an Environment on one node one after the other. */
export function openNodeOperations(options: NodeOperationsOptions): Pick<WorkQueue, 'close' | 'stuck'> {
  const {hub, signal, stop, onError} = options
  const rows = hub.follow(NODE_OPERATIONS, KK_NAMESPACE, signal)
  const all = () => rows.all() as unknown as readonly NodeOperationObject[]
  const seen = new Set<string>()
  /** The ends of operations, by UID: their status may not be written yet. */
  const ends = new Map<string, End>()
  /** Those whose end is in their status, which the watch may not have seen yet. */
  const written = new Set<string>()
  const running = new Map<string, AbortController>()
  const queue = openWorkQueue({work, onError})

  const isPending = ({metadata: {uid, deletionTimestamp}, status}: NodeOperationObject) =>
    deletionTimestamp === undefined && !written.has(uid) && status?.finished === undefined
  const pendingOn = (key: string) =>
    all()
      .filter((operation) => nodeKey(operation) === key && isPending(operation))
      .toSorted(byOrder)

  rows.subscribe(() => {
    const present = new Map(all().map((operation) => [operation.metadata.uid, operation]))
    for (const [uid, controller] of running) {
      const operation = present.get(uid)
      if (!operation || operation.metadata.deletionTimestamp !== undefined) controller.abort()
    }
    for (const uid of seen) if (!present.has(uid)) for (const set of [seen, written, ends]) set.delete(uid)
    for (const [uid, operation] of present) {
      if (seen.has(uid) || !isPending(operation)) continue
      seen.add(uid)
      const key = nodeKey(operation)
      queue.add(key)
      const [first] = pendingOn(key)
      if (!first || first === operation) continue
      const message = `after ${first.metadata.name}`
      newStatus(operation, hub)
        .write(inProgress('Waiting', message))
        .catch((error: unknown) => onError(operation.metadata.name, error))
    }
  })

  async function work(key: string, heartbeat: Heartbeat): Promise<number | undefined> {
    const [next] = pendingOn(key)
    if (!next || stop.aborted) return undefined
    const {uid} = next.metadata
    const deleted = new AbortController()
    running.set(uid, deleted)
    try {
      const end = ends.get(uid) ?? (await perform(next, {...options, deleted: deleted.signal, heartbeat}))
      if (!end) return WAIT_MS
      ends.set(uid, end)
      await newStatus({...next, status: end.status}, hub).write(end.conditions)
      written.add(uid)
      recordEnd(next, end, options.events)
    } catch (error) {
      if (!stop.aborted && !deleted.signal.aborted) throw error
    } finally {
      running.delete(uid)
    }
    return pendingOn(key).length > 0 ? 0 : undefined
  }

  return queue
}

function nodeKey({spec: {environment, node}}: NodeOperationObject): string {
  return `${environment}/${node}`
}

/** Those that have begun come first, then the oldest, then by name: times have whole seconds. */
function byOrder(one: NodeOperationObject, other: NodeOperationObject): number {
  const keys = ({metadata: {name, creationTimestamp = ''}, status}: NodeOperationObject) =>
    [status?.started ?? '~', creationTimestamp, name] as const
  const [first, second] = [keys(one), keys(other)]
  const at = first.findIndex((key, index) => key !== second[index])
  return at < 0 ? 0 : first[at]! < second[at]! ? -1 : 1
}

/** The end of an operation: its whole status, and the conditions to be merged into it. */
interface End {
  readonly status: NodeOperationStatus
  readonly conditions: readonly ConditionInput[]
}

function recordEnd({metadata}: NodeOperationObject, {conditions}: End, events: EventRecorder): void {
  const {status, reason, message} = conditions[0]!
  const type = status === 'True' ? 'Normal' : 'Warning'
  events.record({kind: NODE_OPERATIONS.kind, ...metadata}, {type, reason, message})
}

interface Performing extends NodeOperationsOptions {
  /** Aborted when the object was deleted. */
  readonly deleted: AbortSignal
  readonly heartbeat: Heartbeat
}

/**
 * Carries out an operation. Resolves with its end; with undefined while it waits for its Environment. Throws
 * failures that a retry can resolve.
 */
async function perform(operation: NodeOperationObject, context: Performing): Promise<End | undefined> {
  const {spec, status} = operation
  const {hub, findEnvironment, deleted, stop, heartbeat} = context
  const writer = newStatus(operation, hub)
  const environment = findEnvironment(spec.environment)
  const obstacle = obstacleOf(operation, environment)
  if (obstacle !== undefined) {
    await writer.write(inProgress('WaitingForEnvironment', obstacle))
    return undefined
  }
  const started = status?.started ?? formatTime(Date.now())
  const end = (conditions: readonly ConditionInput[], result?: string): End => {
    const finished = formatTime(Date.now())
    return {conditions, status: {...writer.status(), started, finished, ...(result && {result})}}
  }
  const ended = AbortSignal.any([stop, deleted])
  const progress = {hasBegun: false}
  let deadline = Number.POSITIVE_INFINITY
  try {
    expectKnownFields(operation, NODE_OPERATION)
    expectKnownFields(environment!, ENVIRONMENT)
    const change: NodeChange<unknown, unknown> = NODE_CHANGES[spec.operation]
    const timeoutMs = (seconds(spec.timeout ?? '') ?? change.timeoutSeconds) * 1000
    deadline = Date.parse(started) + timeoutMs
    heartbeat(timeoutMs + HEARTBEAT_MARGIN_MS)
    await writer.write(inProgress('Planning', 'the operation is planned'), {started})
    const closing = new AbortController()
    const connections = openClusterConnections({
      ...{hub, own: context.own, connect: context.connect, signal: closing.signal},
      enqueue: () => undefined,
    })
    try {
      // The reconciliation of the Environment records the identity of the cluster.
      const connection = await connections.forEnvironment(environment!, async () => undefined).connect()
      const {conditions, result} = await whileClaimed(environment!, connection, () =>
        carryOut(
          operation,
          {change, connection, deadline, ended, writer, progress, environment: environment!},
          context,
        ),
      )
      return end(conditions, result)
    } finally {
      closing.abort()
      await connections.close()
    }
  } catch (caught) {
    ended.throwIfAborted()
    const error = asKkError(caught)
    const {code} = error
    const isHopeless = progress.hasBegun ? !isTransient(code) : isFinal(error) || code === 'KK_FORBIDDEN'
    if (isHopeless || Date.now() >= deadline) return end(failed(code, messageOf(error)))
    await writer.write(inProgress(code, error.message))
    throw error
  }
}

interface CarryingOut {
  readonly change: NodeChange<unknown, unknown>
  readonly connection: ClusterConnection
  readonly environment: EnvironmentObject
  readonly deadline: number
  readonly ended: AbortSignal
  readonly writer: ReturnType<typeof newStatus>
  /** Whether the change of the node has begun. */
  readonly progress: {hasBegun: boolean}
}

/** Plans the change of a node, and executes it unless only its plan is wanted. */
async function carryOut(
  {spec}: NodeOperationObject,
  {change, connection, environment, deadline, ended, writer, progress}: CarryingOut,
  {hub, files, deleted}: Performing,
): Promise<{readonly conditions: readonly ConditionInput[]; readonly result?: string}> {
  const texts: NodeChangeTexts<unknown, unknown> = NODE_TEXTS[spec.operation]
  const {cluster} = connection
  const {planned} = await connection.open(spec.environment, await readSource(environment, hub))
  const options = {
    ...{environment: planned.environment, node: spec.node, files, deadline, signal: ended},
    ...{concurrency: spec.maxMigrations, labels: spec.labels, replacement: spec.replacement},
    onProgress: (line: string) => writer.writeDebounced(inProgress('Running', line)),
  }
  const {plan, names = new Map()} = await change.plan(cluster, options)
  await writer.write(inProgress('Running', 'it runs'), {plan: plainText(texts.plan(plan, PLAIN))})
  change.refuse(plan)
  if (spec.dryRun) return {conditions: succeeded('Planned', 'dry run: nothing was changed')}
  ended.throwIfAborted()
  progress.hasBegun = true
  try {
    const result = await change.execute(cluster, {
      ...{...options, plan},
      onEvent: (event) => writer.writeDebounced(inProgress('Running', operationText(event, names, PLAIN))),
    })
    ended.throwIfAborted()
    const text = plainText(texts.result(result, PLAIN))
    const [line = ''] = text.split('\n')
    return {
      conditions: change.isDone(result) ? succeeded('Done', line) : failed('Incomplete', line),
      result: text,
    }
  } finally {
    if (deleted.aborted) await cancelOperations(cluster, planned.environment, spec.node)
  }
}

/** Why an operation cannot begin yet; one that has begun does not wait for a paused Environment. */
function obstacleOf(
  {spec: {environment: name}, status}: NodeOperationObject,
  environment: EnvironmentObject | undefined,
): string | undefined {
  if (!environment || environment.metadata.deletionTimestamp !== undefined)
    return `there is no Environment ${name} in ${KK_NAMESPACE}`
  const isPaused = environment.spec.suspend && status?.started === undefined
  return isPaused ? `the Environment ${name} is paused` : undefined
}

function messageOf({code, message, hint: own}: KkError): string {
  const hint = code === 'KK_FORBIDDEN' ? MISSING_RIGHTS_HINT : own
  return hint === undefined ? message : `${message}; ${hint}`
}

function plainText(view: View): string {
  return viewText(view).trimEnd().slice(0, MAX_TEXT_LENGTH)
}

function inProgress(reason: string, message: string): readonly ConditionInput[] {
  return [condition('Ready', 'False', reason, message), reconcilingCondition(reason, message)]
}

function failed(reason: string, message: string): readonly ConditionInput[] {
  return [condition('Ready', 'False', reason, message), condition('Stalled', 'True', reason, message)]
}

function succeeded(reason: string, message: string): readonly ConditionInput[] {
  return [condition('Ready', 'True', reason, message)]
}

/** Writes the status of one operation; the API server refuses that of another object of its name. */
function newStatus(
  {metadata, status: before = {}}: Pick<NodeOperationObject, 'metadata' | 'status'>,
  hub: Pick<Objects, 'apply'>,
) {
  const {name, uid, generation = 1} = metadata
  const cache = newApplyCache(hub, NODE_OPERATIONS)
  let status: NodeOperationStatus = before
  const set = (inputs: readonly ConditionInput[], fields: NodeOperationStatus = {}) => {
    const now = formatTime(Date.now())
    const conditions = mergeConditions(inputs, status, {generation, now})
    status = {...status, ...fields, observedGeneration: generation, conditions}
  }
  const apply = () => cache.apply({metadata: {name, uid}, status})
  const writer = newWriter(apply, WRITE_INTERVAL_MS)
  return {
    status: () => status,
    async write(inputs: readonly ConditionInput[], fields?: NodeOperationStatus): Promise<void> {
      set(inputs, fields)
      await writer.last()
      // The last request may have succeeded after a former one has failed.
      writer.takeTrouble()
      await apply()
    },
    /** Writes progress, which the next write repeats if it fails. */
    writeDebounced(inputs: readonly ConditionInput[]): void {
      set(inputs)
      writer.request()
    },
  }
}
