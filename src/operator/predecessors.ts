import {seconds} from '../base/duration.ts'
import {KkError} from '../base/errors.ts'
import {KK_NAMESPACE} from '../kubernetes/lease/lease.ts'
import type {Objects} from '../kubernetes/objects/objects.ts'
import {digest} from '../plan/digest.ts'
import {durationText} from '../report/text/duration.ts'
import {formatTime} from './crds/conditions.ts'
import {ENVIRONMENTS, type EnvironmentObject} from './crds/environment.ts'
import {readSource, type SourceText} from './source.ts'

/** What an Environment waits for before it begins a plan. */
export interface PredecessorWait {
  readonly message: string
  /** When that may be over if nothing changes, in milliseconds since the epoch; undefined where something has to. */
  readonly until: number | undefined
}

/** Returns the digest of the texts that an Environment is made of. */
export function sourceDigest({file, overrides}: SourceText): string {
  return digest({file, overrides})
}

/**
 * Throws `KK_ENVIRONMENT_CYCLE` with the path if an Environment comes, by way of others, after itself: none of them would
 * ever begin. `find` returns an Environment by its name.
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
    `Environments come after each other: ${[name, ...path].join(' after ')}`,
    {hint: 'take one of them out of spec.after'},
  )
}

/** Reads what an Environment still has to wait for; undefined if it may begin. `now` is in milliseconds since the epoch. */
export async function readPredecessorWait(
  {spec: {after = []}}: Pick<EnvironmentObject, 'spec'>,
  hub: Pick<Objects, 'read'>,
  now: number,
): Promise<PredecessorWait | undefined> {
  const each = await Promise.all(
    after.map(async ({environment: name, for: time}) => {
      // What was watched may be older than the change that is about to begin here.
      const found = await hub.read<EnvironmentObject>(ENVIRONMENTS, {namespace: KK_NAMESPACE, name})
      const source = found && (await readSource(found, hub).then(sourceDigest, () => undefined))
      return predecessorWait({name, found, source, time}, now)
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
  readonly found: EnvironmentObject | undefined
  /** The digest of what it is to be now; undefined where that cannot be read. */
  readonly source: string | undefined
  readonly time: string | undefined
}

/** Returns why one comes first; undefined if it has been ready for long enough with what it is now to be. */
export function predecessorWait(
  {name, found, source, time}: Predecessor,
  now: number,
): PredecessorWait | undefined {
  const {metadata, status: {steady, conditions = []} = {}} = found ?? {}
  const wait = (why: string, until?: number): PredecessorWait => ({
    message: `waits for ${name}: ${why}`,
    until,
  })
  if (!metadata) return wait(`there is no such Environment in ${KK_NAMESPACE}`)
  const isAway = conditions.some(({type, status}) => type === 'Reachable' && status === 'False')
  const isCurrent = steady?.generation === (metadata.generation ?? 1) && steady.source === source
  if (!steady || !isCurrent || isAway) return wait('it is not ready with what it is now to be')
  const until = Date.parse(steady.since) + (seconds(time ?? '') ?? 0) * 1000
  if (until <= now) return undefined
  const left = durationText(roundUp((until - now) / 1000))
  return wait(`it must have been ready for ${time}; ${left} left, until ${formatTime(until)}`, until)
}

/** What is left is told in steps, so that nothing is written for each second that passes. */
function roundUp(left: number): number {
  const step = left > 3_600 ? 600 : left > 60 ? 60 : 1
  return Math.ceil(left / step) * step
}
