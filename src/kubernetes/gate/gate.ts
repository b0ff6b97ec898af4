import {setTimeout as wait} from 'node:timers/promises'
import {asKkError, KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import {redactSecretsOf} from '../../redact/objects.ts'
import type {ApiClient} from '../api/client.ts'
import {readObject} from '../api/resources.ts'
import type {Collection} from '../watch/collection.ts'
import {wakeup} from '../watch/wakeup.ts'
import type {Watches} from '../watch/watches.ts'
import {describeCulprit, redactHealth} from './cause.ts'
import {
  allGatedObjects,
  type Background,
  collectionsOf,
  evaluate,
  type GatedObject,
  type Gating,
  LATE_EVENTS_MILLISECONDS,
  leftToScalers,
  NOT_SEEN,
} from './evaluate.ts'
import {gatherEvidence} from './evidence.ts'
import {type Cause, type Health, type PassedHealth, passes} from './health.ts'
import type {GateOptions} from './health-checks.ts'
import {HEALTHY, SCALED_DOWN} from './kinds/health.ts'
import type {Observed} from './kinds/observed.ts'
import {observation} from './observation.ts'
import {isRelevant} from './relevant.ts'

/**
 * Waits until every object is healthy; see `HealthChecks.gate`. While the cluster does not answer it keeps waiting, until
 * the deadline.
 */
export async function waitForHealth(
  client: ApiClient,
  {watches, ...gating}: Gating & {readonly watches: Watches},
  options: GateOptions,
): Promise<PassedHealth> {
  const {namespace, objects, deadline, signal} = options
  const gated = await allGatedObjects(gating, namespace, objects)
  if (gated.length === 0) return HEALTHY
  const redact = redactSecretsOf(objects, options.redact)
  const evidence = gatherEvidence(client, namespace, redact)
  const collections = collectionsOf(gated).map((one) => watches.collection(one.resource, one.namespace))
  const once = {...gating, scaleTargets: askedOnce(gating.scaleTargets)}
  const bell = wakeup()
  const ends = collections.map((collection) =>
    collection.subscribe((changed) => {
      if (changed === undefined || isRelevant(changed, collection, gated, watches)) bell.ring()
    }),
  )
  signal?.addEventListener('abort', bell.ring)
  try {
    await readAfresh(client, watches, gated, options)
    const report = reporter(options)
    const patience = gating.now() + LATE_EVENTS_MILLISECONDS
    for (let isConfirmed = false; ; ) {
      checkAborted(signal)
      const background = {...options, ...(gating.now() < patience && {patience})}
      const seen = await observe(collections, gated, {watches, gating: once, background})
      if ('problem' in seen) {
        if (Date.now() >= deadline) throw seen.problem ?? notListed()
        report(seen.problem ? [{object: 'API server', message: seen.problem.message}] : [])
        await bell.wait(Math.min(deadline - Date.now(), ASK_AGAIN_MILLISECONDS))
        continue
      }
      const health = redactHealth(seen, redact)
      if (passes(health)) return health
      const verdict = verdictOf(health, deadline)
      // What a watch has seen last may be long past: the cluster is asked once more.
      if (verdict === OVERDUE && !isConfirmed) {
        isConfirmed = true
        await confirm(client, watches, gated).catch((error) => expectAnswer(error, health))
        continue
      }
      if (verdict) throw unhealthy(await evidence.explain(health.blames), verdict)
      evidence.note(health.blames)
      report(health.blames)
      await bell.wait(Math.min(deadline - Date.now(), untilLimit(health, gating)))
    }
  } finally {
    for (const end of ends) end()
    signal?.removeEventListener('abort', bell.ring)
  }
}

/** How long a gate waits before it asks the API server again for what it could not read, in milliseconds. */
const ASK_AGAIN_MILLISECONDS = 1_000

/** Asks for the autoscalers of a namespace once for a gate, which looks at each event; again a while after it has failed. */
function askedOnce(ask: Gating['scaleTargets']): Gating['scaleTargets'] {
  const answers = new Map<string, ReturnType<typeof ask>>()
  return (namespace) => {
    const asked =
      answers.get(namespace) ??
      ask(namespace).catch((error: unknown) => {
        setTimeout(() => answers.delete(namespace), ASK_AGAIN_MILLISECONDS).unref()
        throw error
      })
    answers.set(namespace, asked)
    return asked
  }
}

/** Returns the milliseconds until the health may change though no object does. */
function untilLimit(health: Health, {now}: Gating): number {
  return health.state === 'waiting' ? (health.until ?? Infinity) - now() : Infinity
}

/** How long each object is waited for at the deadline, in milliseconds. */
const LAST_LOOK_MILLISECONDS = 5_000

/** Reads each object once more. Throws `KK_UNREACHABLE` that says since when the cluster has not answered. */
async function confirm(client: ApiClient, watches: Watches, gated: readonly GatedObject[]): Promise<void> {
  const heard = client.heardAt()
  try {
    await readEach(client, watches, gated, {timeout: LAST_LOOK_MILLISECONDS})
  } catch (error) {
    const {code, message, hint} = asKkError(error)
    if (code !== 'KK_UNREACHABLE') throw error
    const since = new Date(heard).toISOString().slice(0, 19)
    throw new KkError('KK_UNREACHABLE', `the cluster has not answered since ${since}Z: ${message}`, {
      cause: error,
      ...(hint !== undefined && {hint}),
    })
  }
}

interface Observing {
  readonly watches: Watches
  readonly gating: Gating
  readonly background: Background
}

/**
 * Throws `KK_UNREACHABLE` if the cluster has fallen silent by the deadline: what was seen before that is no verdict. Any other
 * error leaves it as it is.
 */
function expectAnswer(error: unknown, {blames}: Exclude<Health, PassedHealth>): void {
  const {code, message} = asKkError(error)
  if (code !== 'KK_UNREACHABLE' && code !== 'KK_API_SERVER') return
  const seen = unhealthy(blames, OVERDUE)
  throw new KkError('KK_UNREACHABLE', `${message}; seen before that: ${seen.message}`, {
    cause: error,
    hint: 'run the same command again once the cluster answers: kk looks at it first',
    log: seen.log,
  })
}

/**
 * Returns the health, or the problem, if there is one, while the cluster does not answer: what was seen before decides
 * nothing.
 */
async function observe(
  collections: readonly Collection[],
  gated: readonly GatedObject[],
  {watches, gating, background}: Observing,
): Promise<Health | {readonly problem: KkError | undefined}> {
  const problems = collections
    .map((collection) => collection.problem())
    .filter((problem) => problem !== undefined)
  const forbidden = problems.find((problem) => problem.code === 'KK_FORBIDDEN')
  if (forbidden) throw forbidden
  if (problems.length > 0 || !collections.every((collection) => collection.isListed()))
    return {problem: problems[0]}
  const seen = observation(watches.collection)
  try {
    return evaluate(await leftToScalers(gated, seen, gating), seen, background)
  } catch (error) {
    return {problem: asKkError(error)}
  }
}

/**
 * Reads each object once, so that nothing older than the gate's start decides: a watch may be behind what helm has just
 * written, and an object would pass in its old state.
 */
async function readAfresh(
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
      const cannotHeal = error instanceof KkError && error.code === 'KK_FORBIDDEN'
      if (cannotHeal || Date.now() + pause >= deadline) throw error
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

function reporter({onProgress}: GateOptions): (blames: readonly Cause[]) => void {
  let last = '[]'
  return (blames) => {
    const now = JSON.stringify(blames)
    if (now === last) return
    last = now
    onProgress?.(blames)
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

/** It does not say how long the release took, for the report of the failure does. */
const OVERDUE = 'not healthy in time'

/** Returns why a gate stays closed; undefined while it may open. */
function verdictOf(health: Health, deadline: number): string | undefined {
  if (health.state === 'failed') return 'it cannot become healthy'
  if (health.state === 'unknown') return 'it is not known whether it is healthy'
  return Date.now() >= deadline ? OVERDUE : undefined
}

const MOST_NAMED = 5

/**
 * Returns the error of a gate that stays closed: it names objects, pods, containers and reasons; `log` has the
 * container's last lines.
 */
export function unhealthy(blames: readonly Cause[], why: string): KkError {
  const named = blames.slice(0, MOST_NAMED).map(describeCulprit)
  const more = blames.length > MOST_NAMED ? [`and ${blames.length - MOST_NAMED} more`] : []
  const log = blames.find((cause) => cause.log && cause.log.length > 0)?.log ?? []
  return new KkError('KK_UNHEALTHY', `${why}: ${[...named, ...more].join(' · ')}`, {
    hint: hintFor(blames),
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
    'run the same command again: helm makes the Job again, and it is watched to its end',
  ],
  [/Image/, "check the image's name and tag, and that the nodes can pull it"],
  [/CreateContainerConfigError/, 'a ConfigMap or Secret that the container needs is missing'],
  [
    /Unschedulable|SchedulingGated/,
    'give the nodes the labels or the room that the pod asks for, or ask for less in the values',
  ],
  [
    /CrashLoopBackOff|Error|OOMKilled/,
    "the container's last lines say why it ends; correct the values and deploy again",
  ],
]

function hintFor(blames: readonly Cause[]): string {
  const unbound = blames.find((cause) => cause.object.startsWith('PersistentVolumeClaim/'))
  if (unbound)
    return 'check the storage class and that volumes of it are to be had (kubectl get storageclass,pv)'
  const reasons = blames.map((cause) => cause.reason ?? '').join(' ')
  const known = HINTS.find(([pattern]) => pattern.test(reasons))?.[1]
  if (known) return known
  const [first] = blames
  const what = first?.pod ? `pod ${first.pod}` : (first?.object ?? 'pods')
  return `look closer with kubectl describe ${what}${first?.namespace ? ` -n ${first.namespace}` : ''}`
}
