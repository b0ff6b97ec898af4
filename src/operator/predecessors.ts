import {seconds} from '../base/duration.ts'
import {KkError} from '../base/errors.ts'
import {KK_NAMESPACE} from '../kubernetes/lease/lease.ts'
import type {Objects} from '../kubernetes/objects/objects.ts'
import {digest} from '../plan/digest.ts'
import {durationText} from '../report/text/duration.ts'
import {formatTime} from './crds/conditions.ts'
import {ENVIRONMENTS, type EnvironmentObject} from './crds/environment.ts'
import {readSource, type SourceText} from './source.ts'

/** Why an Environment waits for those of `spec.after` before it starts a plan. */
export interface PredecessorWait {
  readonly message: string
  /**
   * When the wait ends if nothing changes, in milliseconds since the epoch; undefined if a change is needed.
   */
  readonly until: number | undefined
}

/** Returns the digest of the environment file and the overrides. */
export function sourceDigest({file, overrides}: SourceText): string {
  return digest({file, overrides})
}

/**
 * Throws `KK_ENVIRONMENT_CYCLE` with the path if an Environment waits, through others, for itself: none of
 * them would ever start. `find` returns an Environment by its name.
 */
export function expectNoCycle(
  {metadata: {name}, spec}: Pick<EnvironmentObject, 'metadata' | 'spec'>,
  find: (name: string) => Pick<EnvironmentObject, 'spec'> | undefined,
): void {
  const seen = new Set<string>()
  const pathFrom = (from: EnvironmentObject['spec'] | undefined): readonly string[] | undefined => {
    for (const {environment} of from?.after ?? []) {
      if (environment === name) return [name]
      if (seen.has(environment)) continue
      seen.add(environment)
      const rest = pathFrom(find(environment)?.spec)
      if (rest) return [environment, ...rest]
    }
    return undefined
  }
  const path = pathFrom(spec)
  if (!path) return
  throw new KkError(
    'KK_ENVIRONMENT_CYCLE',
    `spec.after of Environments forms a cycle: ${[name, ...path].join(' after ')}`,
    {hint: 'remove one of them from spec.after'},
  )
}

/**
 * Reads what an Environment still waits for; undefined if it can start. `now` is in milliseconds since the
 * epoch.
 */
export async function readPredecessorWait(
  {spec: {after = []}}: Pick<EnvironmentObject, 'spec'>,
  hub: Pick<Objects, 'read'>,
  now: number,
): Promise<PredecessorWait | undefined> {
  const each = await Promise.all(
    after.map(async ({environment: name, for: time}) => {
      // A direct read, because the watch can be older than the change that is about to start.
      const object = await hub.read<EnvironmentObject>(ENVIRONMENTS, {namespace: KK_NAMESPACE, name})
      const source = object && (await readSource(object, hub).then(sourceDigest, () => undefined))
      return predecessorWait({name, object, source, time}, now)
    }),
  )
  const open = each.filter((one) => one !== undefined)
  if (open.length === 0) return undefined
  const until = open.some((one) => one.until === undefined)
    ? undefined
    : Math.max(...open.map((one) => one.until!))
  return {message: open.map(({message}) => message).join('; '), until}
}

interface Predecessor {
  readonly name: string
  readonly object: EnvironmentObject | undefined
  /** The digest of its current inputs; undefined if they cannot be read. */
  readonly source: string | undefined
  readonly time: string | undefined
}

/**
 * Returns why to wait for a predecessor; undefined if it has been ready with its current inputs for long
 * enough.
 */
export function predecessorWait(
  {name, object, source, time}: Predecessor,
  now: number,
): PredecessorWait | undefined {
  const {metadata, status: {steady, conditions = []} = {}} = object ?? {}
  const wait = (why: string, until?: number): PredecessorWait => ({
    message: `waiting for ${name}: ${why}`,
    until,
  })
  if (!metadata) return wait(`there is no such Environment in ${KK_NAMESPACE}`)
  const isAway = conditions.some(({type, status}) => type === 'Reachable' && status === 'False')
  const isCurrent = steady?.generation === (metadata.generation ?? 1) && steady.source === source
  if (!steady || !isCurrent || isAway) return wait('it is not ready with its current inputs')
  const until = Date.parse(steady.since) + (seconds(time ?? '') ?? 0) * 1000
  if (until <= now) return undefined
  const remaining = durationText(roundUp((until - now) / 1000))
  return wait(`it must have been ready for ${time}; ${remaining} left, until ${formatTime(until)}`, until)
}

/** Rounds seconds up to steps, so that the status is not rewritten every second. */
function roundUp(seconds: number): number {
  const step = seconds > 3_600 ? 600 : seconds > 60 ? 60 : 1
  return Math.ceil(seconds / step) * step
}
