import {seconds} from '../base/duration.ts'
import {asKkError, type KkError} from '../base/errors.ts'
import {KK_NAMESPACE} from '../kubernetes/lease/lease.ts'
import type {Objects} from '../kubernetes/objects/objects.ts'
import {palette} from '../report/colour.ts'
import {NODE_TEXTS, type NodeChangeTexts, operationText} from '../report/nodes-text.ts'
import {type View, viewText} from '../report/text/view.ts'
import {newWriter} from '../run/writer.ts'
import {NODE_CHANGES, type NodeChange} from '../verbs/nodes/changes.ts'
import {newApplyCache} from './apply-cache.ts'
import type {ClusterConnection} from './cluster-connections.ts'
import {MISSING_RIGHTS_HINT} from './condition-inputs.ts'
import {type ConditionInput, formatTime, mergeConditions} from './crds/conditions.ts'
import type {EnvironmentObject} from './crds/environment.ts'
import {NODE_OPERATIONS, type NodeOperationObject, type NodeOperationStatus} from './crds/node-operation.ts'
import {isTransient} from './decision.ts'
import type {EventRecorder} from './event-recorder.ts'
import {readSource} from './source.ts'
import {type Heartbeat, openWorkQueue, type WorkQueue} from './work-queue.ts'

interface NodeOperationsOptions {
  readonly hub: Objects
  /** The directory of kk's own files. */
  readonly files: string
  readonly findEnvironment: (name: string) => EnvironmentObject | undefined
  readonly connect: (environment: EnvironmentObject) => Promise<ClusterConnection>
  readonly events: EventRecorder
  /** Ends the watch. */
  readonly signal: AbortSignal
  /** Interrupts operations; the next operator continues them. */
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

/** Carries out NodeOperations until the signal: those on one node one after the other. */
export function openNodeOperations(options: NodeOperationsOptions): Pick<WorkQueue, 'close' | 'stuck'> {
  const {hub, signal, stop, onError} = options
  const rows = hub.follow(NODE_OPERATIONS, KK_NAMESPACE, signal)
  const find = (name: string) => rows.get(name) as unknown as NodeOperationObject | undefined
  /** Those that were carried out here: the watch may lag behind their status. */
  const finished = new Set<string>()
  const running = new Map<string, AbortController>()
  const queue = openWorkQueue({work, onError})

  const isPending = ({metadata: {uid = '', deletionTimestamp}, status}: NodeOperationObject) =>
    deletionTimestamp === undefined && !finished.has(uid) && status?.finished === undefined
  const pendingOn = (key: string) =>
    rows
      .all()
      .map((row) => row as unknown as NodeOperationObject)
      .filter((operation) => nodeKey(operation) === key && isPending(operation))
      .toSorted(byCreation)

  rows.subscribe((changed) => {
    for (const [name, controller] of running) if (!find(name)) controller.abort()
    const all = changed ? [find(changed.metadata.name)] : rows.all().map(({metadata}) => find(metadata.name))
    for (const operation of all) if (operation && isPending(operation)) queue.add(nodeKey(operation))
  })

  async function work(key: string, heartbeat: Heartbeat): Promise<number | undefined> {
    const [next] = pendingOn(key)
    if (!next || stop.aborted) return undefined
    const {name, uid = ''} = next.metadata
    const deleted = new AbortController()
    running.set(name, deleted)
    const ended = AbortSignal.any([stop, deleted.signal])
    try {
      if (!(await perform(next, {...options, ended, heartbeat}))) return WAIT_MS
      finished.add(uid)
    } catch (error) {
      if (!ended.aborted) throw error
    } finally {
      running.delete(name)
    }
    return pendingOn(key).length > 0 ? 0 : undefined
  }

  return queue
}

function nodeKey({spec: {environment, node}}: NodeOperationObject): string {
  return `${environment}/${node}`
}

function byCreation({metadata: one}: NodeOperationObject, {metadata: other}: NodeOperationObject): number {
  const order = String(one.creationTimestamp).localeCompare(String(other.creationTimestamp))
  return order || one.name.localeCompare(other.name)
}

interface Performing extends NodeOperationsOptions {
  /** Aborted when the operator stops, or the object was deleted. */
  readonly ended: AbortSignal
  readonly heartbeat: Heartbeat
}

/**
 * Carries out an operation, and writes what becomes of it to its status. Resolves with whether it has ended,
 * or still waits for its Environment. Throws failures that a retry can resolve.
 */
async function perform(operation: NodeOperationObject, context: Performing): Promise<boolean> {
  const {spec, status} = operation
  const {hub, files, findEnvironment, connect, ended, heartbeat} = context
  const change: NodeChange<unknown, unknown> = NODE_CHANGES[spec.operation]
  const texts: NodeChangeTexts<unknown, unknown> = NODE_TEXTS[spec.operation]
  const writer = newStatus(operation, context)
  const environment = findEnvironment(spec.environment)
  const obstacle = obstacleOf(spec.environment, environment)
  if (obstacle) {
    await writer.write(obstacle)
    return false
  }
  const started = status?.started ?? formatTime(Date.now())
  const timeoutMs = (seconds(spec.timeout ?? '') ?? change.timeoutSeconds) * 1000
  const deadline = Date.parse(started) + timeoutMs
  heartbeat(timeoutMs + HEARTBEAT_MARGIN_MS)
  try {
    await writer.write(inProgress('Planning', 'the operation is planned'), {started})
    const connection = await connect(environment!)
    const {planned} = await connection.open(spec.environment, await readSource(environment!, hub))
    const options = {
      ...{environment: planned.environment, node: spec.node, files, deadline, signal: ended},
      ...{concurrency: spec.maxMigrations, labels: spec.labels, replacement: spec.replacement},
      onProgress: (line: string) => writer.writeDebounced(inProgress('Running', line)),
    }
    const {plan, names = new Map()} = await change.plan(connection.cluster, options)
    await writer.write(inProgress('Running', 'it runs'), {plan: plainText(texts.plan(plan, PLAIN))})
    change.refuse(plan)
    if (spec.dryRun) {
      await writer.finish(succeeded('Planned', 'dry run: nothing was changed'))
      return true
    }
    const result = await change.execute(connection.cluster, {
      ...{...options, plan},
      onEvent: (event) => writer.writeDebounced(inProgress('Running', operationText(event, names, PLAIN))),
    })
    ended.throwIfAborted()
    const text = plainText(texts.result(result, PLAIN))
    const [line = ''] = text.split('\n')
    await writer.finish(change.isDone(result) ? succeeded('Done', line) : failed('Incomplete', line), text)
  } catch (caught) {
    ended.throwIfAborted()
    const error = asKkError(caught)
    const {code} = error
    if (isTransient(code) && Date.now() < deadline) {
      await writer.write(inProgress(code, error.message))
      throw error
    }
    await writer.finish(failed(code, messageOf(error)))
  }
  return true
}

/** Why an operation cannot begin yet. */
function obstacleOf(
  name: string,
  environment: EnvironmentObject | undefined,
): readonly ConditionInput[] | undefined {
  const waiting = (message: string) => inProgress('WaitingForEnvironment', message)
  if (!environment || environment.metadata.deletionTimestamp !== undefined)
    return waiting(`there is no Environment ${name} in ${KK_NAMESPACE}`)
  return environment.spec.suspend ? waiting(`the Environment ${name} is paused`) : undefined
}

function messageOf({code, message, hint: own}: KkError): string {
  const hint = code === 'KK_FORBIDDEN' ? MISSING_RIGHTS_HINT : own
  return hint === undefined ? message : `${message}; ${hint}`
}

function plainText(view: View): string {
  return viewText(view).trimEnd().slice(0, MAX_TEXT_LENGTH)
}

function condition(type: string, status: ConditionInput['status'], reason: string, message: string) {
  return {type, status, reason, message}
}

function inProgress(reason: string, message: string): readonly ConditionInput[] {
  return [condition('Ready', 'False', reason, message), condition('Reconciling', 'True', reason, message)]
}

function failed(reason: string, message: string): readonly ConditionInput[] {
  return [condition('Ready', 'False', reason, message), condition('Stalled', 'True', reason, message)]
}

function succeeded(reason: string, message: string): readonly ConditionInput[] {
  return [condition('Ready', 'True', reason, message)]
}

/** Writes the status of one operation. */
function newStatus(
  {metadata, status: before = {}}: NodeOperationObject,
  {hub, events, onError}: Pick<NodeOperationsOptions, 'hub' | 'events' | 'onError'>,
) {
  const {name, uid, generation = 1} = metadata
  const cache = newApplyCache(hub, NODE_OPERATIONS)
  cache.observe({metadata, status: before})
  let status: NodeOperationStatus = before
  const set = (inputs: readonly ConditionInput[], fields: NodeOperationStatus = {}) => {
    const now = formatTime(Date.now())
    status = {...status, ...fields, conditions: mergeConditions(inputs, status, {generation, now})}
  }
  const writer = newWriter(() => cache.apply({metadata: {name}, status}), WRITE_INTERVAL_MS)
  const write = async () => {
    await writer.last()
    const trouble = writer.takeTrouble()
    if (trouble !== undefined) throw trouble
  }
  return {
    async write(inputs: readonly ConditionInput[], fields?: NodeOperationStatus): Promise<void> {
      set(inputs, fields)
      await write()
    },
    writeDebounced(inputs: readonly ConditionInput[]): void {
      set(inputs)
      writer.request()
      const trouble = writer.takeTrouble()
      if (trouble !== undefined) onError(name, trouble)
    },
    /** Writes the end of the operation, with an Event. */
    async finish([ready, ...more]: readonly ConditionInput[], result?: string): Promise<void> {
      const finished = formatTime(Date.now())
      set([ready!, ...more], {finished, ...(result !== undefined && {result})})
      await write()
      const {status: is, reason, message} = ready!
      const type = is === 'True' ? 'Normal' : 'Warning'
      events.record({kind: NODE_OPERATIONS.kind, name, uid}, {type, reason, message})
    },
  }
}
