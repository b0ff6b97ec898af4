import {setTimeout as wait} from 'node:timers/promises'
import {asKkError, KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {redactSecretsOf} from '../../redact/objects.ts'
import {isUnserved} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import {readObject} from '../api/resources.ts'
import {changeSignal} from '../watch/change-signal.ts'
import type {Collection} from '../watch/collection.ts'
import type {Watches} from '../watch/watches.ts'
import {describeCulprit, redactHealth} from './cause.ts'
import {
  allGatedObjects,
  type Background,
  collectionsOf,
  type GatedObject,
  type HealthInputs,
  MAX_EVENT_DELAY_MS,
  NOT_SEEN,
  withoutScaledReplicas,
} from './evaluate.ts'
import {gatherEvidence} from './evidence.ts'
import {explainedHealth} from './explained-health.ts'
import {type Cause, type Health, type PassedHealth, passes} from './health.ts'
import type {GateOptions} from './health-checks.ts'
import {HEALTHY, SCALED_DOWN} from './kinds/health.ts'
import type {Observed} from './kinds/observed.ts'
import {observation} from './observation.ts'
import {isRelevant} from './relevant.ts'
import {SERVICE_REASON, type ServiceStatusReader, serviceStatusReader} from './service-status.ts'

/**
 * Waits until every object is healthy; see `HealthChecks.gate`. While the cluster is unreachable it waits
 * until the deadline.
 */
export async function waitForHealth(
  client: ApiClient,
  {watches, ...gating}: HealthInputs & {readonly watches: Watches},
  options: GateOptions,
): Promise<PassedHealth> {
  const {namespace, objects, deadline, signal} = options
  const gated = await allGatedObjects(gating, namespace, objects)
  if (gated.length === 0) return HEALTHY
  const redact = redactSecretsOf(objects, options.redact)
  const evidence = gatherEvidence(client, namespace, redact)
  const explain = serviceStatusReader(client, namespace)
  const collections = collectionsOf(gated).map((one) => watches.collection(one.resource, one.namespace))
  const once = {...gating, scaleTargets: listOnce(gating.scaleTargets)}
  const changes = changeSignal()
  const ends = collections.map((collection) =>
    collection.subscribe((changed) => {
      if (changed === undefined || isRelevant(changed, collection, gated, watches)) changes.notify()
    }),
  )
  signal?.addEventListener('abort', changes.notify)
  try {
    await readCurrent(client, watches, gated, options)
    const report = reporter(options)
    const eventsDeadline = gating.now() + MAX_EVENT_DELAY_MS
    for (let isConfirmed = false; ; ) {
      checkAborted(signal)
      const background = {...options, ...(gating.now() < eventsDeadline && {eventsDeadline})}
      const seen = await observe(collections, gated, {watches, gating: once, background, explain})
      if ('problem' in seen) {
        if (Date.now() >= deadline) throw seen.problem ?? notListed()
        report(seen.problem ? [{object: 'API server', message: seen.problem.message}] : [])
        await changes.wait(Math.min(deadline - Date.now(), RETRY_DELAY_MS))
        continue
      }
      const health = redactHealth(seen, redact)
      if (passes(health)) return health
      const verdict = gateVerdict(health, deadline)
      // The state in the watch may be stale: the cluster is read once more.
      if (verdict === OVERDUE && !isConfirmed) {
        isConfirmed = true
        await confirm(client, watches, gated).catch((error) => expectAnswer(error, health))
        continue
      }
      if (verdict) throw unhealthy(await evidence.explain(health.blames), verdict)
      evidence.note(health.blames)
      report(health.blames)
      await changes.wait(Math.min(deadline - Date.now(), untilTimeout(health, gating)))
    }
  } finally {
    for (const end of ends) end()
    signal?.removeEventListener('abort', changes.notify)
  }
}

/** The delay before a failed read is retried, in milliseconds. */
const RETRY_DELAY_MS = 1_000

/**
 * Lists the autoscalers of a namespace once for a gate, which evaluates at each event; after a failure, lists
 * them again with a delay.
 */
function listOnce(ask: HealthInputs['scaleTargets']): HealthInputs['scaleTargets'] {
  const answers = new Map<string, ReturnType<typeof ask>>()
  return (namespace) => {
    const asked =
      answers.get(namespace) ??
      ask(namespace).catch((error: unknown) => {
        setTimeout(() => answers.delete(namespace), RETRY_DELAY_MS).unref()
        throw error
      })
    answers.set(namespace, asked)
    return asked
  }
}

/** Returns the milliseconds until the health may change without a change of an object. */
function untilTimeout(health: Health, {now}: HealthInputs): number {
  return health.state === 'waiting' ? (health.until ?? Infinity) - now() : Infinity
}

/** The timeout of each object's read at the deadline, in milliseconds. */
const CONFIRM_TIMEOUT_MS = 5_000

/**
 * Reads each object once more. Throws `KK_UNREACHABLE` with the time of the last response if the cluster does
 * not respond.
 */
async function confirm(client: ApiClient, watches: Watches, gated: readonly GatedObject[]): Promise<void> {
  const lastResponse = client.lastResponseAt()
  try {
    await readEach(client, watches, gated, {timeout: CONFIRM_TIMEOUT_MS})
  } catch (error) {
    const {code, message, hint} = asKkError(error)
    if (code !== 'KK_UNREACHABLE') throw error
    const since = new Date(lastResponse).toISOString().slice(0, 19)
    throw new KkError('KK_UNREACHABLE', `the cluster has not answered since ${since}Z: ${message}`, {
      cause: error,
      ...(hint !== undefined && {hint}),
    })
  }
}

interface Observing {
  readonly watches: Watches
  readonly gating: HealthInputs
  readonly background: Background
  readonly explain: ServiceStatusReader
}

/**
 * Throws `KK_UNREACHABLE` if the cluster does not respond at the deadline, because a stale observation proves
 * nothing. Ignores any other error.
 */
function expectAnswer(error: unknown, {blames}: Exclude<Health, PassedHealth>): void {
  if (!isUnserved(error)) return
  const seen = unhealthy(blames, OVERDUE)
  throw new KkError('KK_UNREACHABLE', `${asKkError(error).message}; seen before that: ${seen.message}`, {
    cause: error,
    hint: 'run the same command again when the cluster responds: kk reads its state first',
    log: seen.log,
  })
}

/**
 * Returns the health, or the problem while the cluster does not respond: a stale observation decides nothing.
 */
async function observe(
  collections: readonly Collection[],
  gated: readonly GatedObject[],
  {watches, gating, background, explain}: Observing,
): Promise<Health | {readonly problem: KkError | undefined}> {
  const problems = collections
    .map((collection) => collection.problem())
    .filter((problem) => problem !== undefined)
  const forbidden = problems.find((problem) => problem.code === 'KK_FORBIDDEN')
  if (forbidden) throw forbidden
  if (problems.length > 0 || !collections.every((collection) => collection.isListed()))
    return {problem: problems[0]}
  const seen = observation(watches.collection, gating.now())
  try {
    return await explainedHealth(await withoutScaledReplicas(gated, seen, gating), seen, {
      ...background,
      explain,
    })
  } catch (error) {
    return {problem: asKkError(error)}
  }
}

/**
 * Reads each object once at the start of the gate: a watch may lag behind helm's last write, and an object
 * would pass in its old state.
 */
async function readCurrent(
  client: ApiClient,
  watches: Watches,
  gated: readonly GatedObject[],
  {deadline, signal}: GateOptions,
): Promise<void> {
  for (let pause = 100; ; pause = Math.min(pause * 2, 5_000)) {
    try {
      return await readEach(client, watches, gated, {signal})
    } catch (error) {
      checkAborted(signal)
      const isPermanent = error instanceof KkError && error.code === 'KK_FORBIDDEN'
      if (isPermanent || Date.now() + pause >= deadline) throw error
      await wait(pause, undefined, {signal}).catch(() => checkAborted(signal))
    }
  }
}

async function readEach(
  client: ApiClient,
  watches: Watches,
  gated: readonly GatedObject[],
  options: {readonly signal?: AbortSignal | undefined; readonly timeout?: number},
): Promise<void> {
  await mapParallel(gated, async ({resource, namespace, name}) => {
    const object = await readObject<Observed>(client, resource, {namespace, name, ...options})
    if (object) watches.collection(resource, namespace).put(object)
  })
}

function reporter({onProgress}: GateOptions): (causes: readonly Cause[]) => void {
  let last = '[]'
  return (causes) => {
    const now = JSON.stringify(causes)
    if (now === last) return
    last = now
    onProgress?.(causes)
  }
}

function notListed(): KkError {
  return new KkError('KK_UNREACHABLE', 'the cluster did not list its objects before the deadline')
}

function checkAborted(signal: AbortSignal | undefined): void {
  if (!signal?.aborted) return
  throw signal.reason instanceof KkError
    ? signal.reason
    : new KkError('KK_INTERRUPTED', 'waiting for health was interrupted', {cause: asKkError(signal.reason)})
}

/** Without the duration, which the report of the failure has. */
const OVERDUE = 'not healthy in time'

/** Returns why a gate fails; undefined while it may pass. */
function gateVerdict(health: Health, deadline: number): string | undefined {
  if (health.state === 'failed') return 'it cannot become healthy'
  if (health.state === 'unknown') return 'it is not known whether it is healthy'
  return Date.now() >= deadline ? OVERDUE : undefined
}

const MAX_NAMED = 5

/**
 * Returns the error of a gate that fails, with its objects, pods, containers and reasons; `log` has the
 * container's last lines.
 */
export function unhealthy(causes: readonly Cause[], why: string): KkError {
  const named = causes.slice(0, MAX_NAMED).map(describeCulprit)
  const more = causes.length > MAX_NAMED ? [`and ${causes.length - MAX_NAMED} more`] : []
  const log = causes.find((cause) => cause.log && cause.log.length > 0)?.log ?? []
  return new KkError('KK_UNHEALTHY', `${why}: ${[...named, ...more].join(' · ')}`, {
    hint: hintFor(causes),
    log,
  })
}

const HINTS: readonly (readonly [RegExp, string])[] = [
  [
    new RegExp(SCALED_DOWN),
    'bring its replicas back with kubectl scale or, if its chart states them, with kk upgrade and --correct-drift',
  ],
  [
    new RegExp(NOT_SEEN),
    'run the same command again: helm re-creates the Job, and kk watches it until it ends',
  ],
  [
    new RegExp(SERVICE_REASON),
    'the service reports this of itself: the logs of the parts that it names say why',
  ],
  [/Image/, "check the image's name and tag, and that the nodes can pull it"],
  [/CreateContainerConfigError/, 'a ConfigMap or Secret that the container needs is missing'],
  [
    /Unschedulable|SchedulingGated/,
    'add the labels or the capacity that the pod requires to the nodes, or lower the requests in the values',
  ],
  [
    /CrashLoopBackOff|Error|OOMKilled|Restarting/,
    "the container's last lines say why it ends; correct the values and deploy again",
  ],
]

function hintFor(causes: readonly Cause[]): string {
  const unbound = causes.find((cause) => cause.object.startsWith('PersistentVolumeClaim/'))
  if (unbound)
    return 'check the storage class and that it has volumes available (kubectl get storageclass,pv)'
  const reasons = causes.map((cause) => cause.reason ?? '').join(' ')
  const hint = HINTS.find(([pattern]) => pattern.test(reasons))?.[1]
  if (hint) return hint
  const [first] = causes
  const what = first?.pod ? `pod ${first.pod}` : (first?.object ?? 'pods')
  return `inspect it with kubectl describe ${what}${first?.namespace ? ` -n ${first.namespace}` : ''}`
}
