import {seconds} from '../base/duration.ts'
import {asKkError} from '../base/errors.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import {type IgnoreRule, ignoredFields} from '../plan/drift/ignored.ts'
import type {Prepared} from '../prepare/prepare.ts'
import {correctDrift, type ReleaseDrift} from '../verbs/observation/drift.ts'
import {drift} from '../verbs/observation/drift-of.ts'
import type {ConditionInput} from './crds/conditions.ts'
import type {EnvironmentObject} from './crds/environment.ts'

/** The ports that compare objects with their manifests, and correct drift. */
export interface DriftPorts {
  /** Compares all releases of an environment with their manifests. */
  compare(prepared: Prepared): Promise<readonly ReleaseDrift[]>
  /** Writes objects of a release, such as `Deployment/api`, as in its manifest, except for ignored fields. */
  correct(drift: ReleaseDrift, objects: ReadonlySet<string>, ignore: readonly IgnoreRule[]): Promise<void>
}

export function driftPorts(cluster: Cluster): DriftPorts {
  return {
    compare: (prepared) => {
      const {environment} = prepared
      return drift(cluster, {names: [], owner: environment.name, environment, prepared})
    },
    correct: (release, objects, ignore) =>
      correctDrift(cluster, release, {isMeant: ({kind, name}) => objects.has(`${kind}/${name}`), ignore}),
  }
}

/** Checks Environments without pending changes for objects that differ from their manifests. */
export interface DriftWatcher {
  /** Returns the condition `Drifted` of an Environment; checks, and corrects drift, if a check is due. */
  check(
    environment: EnvironmentObject,
    prepared: Prepared,
    ports: DriftPorts,
  ): Promise<ConditionInput | undefined>
  /** Returns the milliseconds until the next check. */
  due(environment: string): number
  forget(environment: string): void
}

interface DriftState {
  generation: number
  nextAt: number
  condition: ConditionInput | undefined
  /** The times of the corrections of each object, such as `openstack/keystone Deployment/api`. */
  readonly corrected: Map<string, readonly number[]>
}

const DEFAULT_INTERVAL = '1h'
/** An object with this many corrections within the window is contested, and no longer corrected. */
const MAX_CORRECTIONS = 5
const CORRECTION_WINDOW_MS = 3_600_000
/** After a correction the next check follows with exponential backoff. */
const INITIAL_BACKOFF_MS = 10_000

export function newDriftWatcher(clock: () => number = Date.now): DriftWatcher {
  const states = new Map<string, DriftState>()

  async function correct(
    entry: DriftState,
    drifted: readonly ReleaseDrift[],
    {
      ports,
      now,
      ignore,
    }: {readonly ports: DriftPorts; readonly now: number; readonly ignore: readonly IgnoreRule[]},
  ): Promise<void> {
    const corrections = (key: string) =>
      (entry.corrected.get(key) ?? []).filter((at) => at > now - CORRECTION_WINDOW_MS)
    const changed = drifted.flatMap(correctableKeys)
    const correctable = new Set(changed.filter((key) => corrections(key).length < MAX_CORRECTIONS))
    for (const key of correctable) entry.corrected.set(key, [...corrections(key), now])
    try {
      for (const each of drifted) {
        const objects = correctableKeys(each).filter((key) => correctable.has(key))
        const names = new Set(objects.map((key) => key.split(' ')[1]!))
        if (names.size > 0) await ports.correct(each, names, ignore)
      }
    } catch (error) {
      entry.condition = {...driftedCondition('NotCorrected', drifted), message: asKkError(error).message}
      return
    }
    if (correctable.size === 0) {
      if (changed.length > 0) entry.condition = driftedCondition('Contested', drifted)
      return
    }
    const most = Math.max(...[...correctable].map((key) => corrections(key).length))
    entry.nextAt = Math.min(entry.nextAt, now + INITIAL_BACKOFF_MS * 2 ** (most - 1))
    const isAll = drifted.every(({objects}) => objects.every(({state}) => state === 'changed'))
    if (correctable.size === changed.length && isAll) entry.condition = correctedCondition(changed)
    else if (correctable.size < changed.length) entry.condition = driftedCondition('Contested', drifted)
  }

  return {
    async check({metadata: {name, generation = 1}, spec}, prepared, ports) {
      const {mode = 'warn', every = DEFAULT_INTERVAL, ignore = []} = spec.drift ?? {}
      const pause = (seconds(every) ?? 3_600) * 1000
      const now = clock()
      const before = states.get(name)
      const isKnown = before?.generation === generation
      // Not immediately: a new leader would read all objects of all Environments.
      const entry: DriftState = isKnown
        ? before
        : {generation, nextAt: now + pause, condition: undefined, corrected: new Map()}
      states.set(name, entry)
      if (mode === 'ignore') {
        states.set(name, {...entry, nextAt: Number.POSITIVE_INFINITY, condition: undefined})
        return undefined
      }
      if (now < entry.nextAt) return entry.condition
      const compared = (await ports.compare(prepared)).map(({objects, ...release}) => ({
        ...release,
        objects: objects.filter(hasKnownState),
      }))
      const [drifted, ignored] = partitionIgnored(compared, ignore)
      entry.nextAt = now + pause
      entry.condition = drifted.length === 0 ? AS_DEPLOYED : driftedCondition('Drifted', drifted)
      if (mode === 'correct') await correct(entry, drifted, {ports, now, ignore})
      entry.condition = withIgnored(entry.condition, ignored)
      return entry.condition
    },
    due(name) {
      const {nextAt = Number.POSITIVE_INFINITY} = states.get(name) ?? {}
      return Math.max(0, nextAt - clock())
    },
    forget: (name) => void states.delete(name),
  }
}

type Drifted = ReleaseDrift['objects'][number]

/** Returns whether the object could be compared. */
function hasKnownState({state}: Drifted): boolean {
  return state !== 'unknown'
}

/** Splits drift into what counts, and what `spec.drift.ignore` ignores. */
function partitionIgnored(
  compared: readonly ReleaseDrift[],
  ignore: readonly IgnoreRule[],
): readonly [drifted: readonly ReleaseDrift[], ignored: readonly ReleaseDrift[]] {
  const side = (isIgnored: boolean) =>
    compared
      .map(({objects, ...release}) => ({
        ...release,
        objects: objects.flatMap((object) => {
          if (object.state !== 'changed') return isIgnored ? [] : object
          const ignores = ignoredFields(ignore, object)
          const fields = object.fields.filter(({path}) => ignores(path) === isIgnored)
          return fields.length === 0 ? [] : {...object, fields}
        }),
      }))
      .filter(({objects}) => objects.length > 0)
  return [side(false), side(true)]
}

/** Returns the objects of a release that can be corrected; a deploy re-creates deleted objects. */
function correctableKeys({release, objects}: ReleaseDrift): readonly string[] {
  return objects.filter(({state}) => state === 'changed').map(({kind, name}) => `${release} ${kind}/${name}`)
}

const AS_DEPLOYED: ConditionInput = {
  type: 'Drifted',
  status: 'False',
  reason: 'AsDeployed',
  message: 'every object is as its manifest says',
}

function correctedCondition(keys: readonly string[]): ConditionInput {
  return {type: 'Drifted', status: 'False', reason: 'Corrected', message: `corrected ${listed(keys)}`}
}

function driftedCondition(
  reason: 'Drifted' | 'Contested' | 'NotCorrected',
  drifted: readonly ReleaseDrift[],
): ConditionInput {
  const why = reason === 'Contested' ? 'another writer reverts the corrections, so they have stopped: ' : ''
  return {type: 'Drifted', status: 'True', reason, message: `${why}${listed(describeDrift(drifted))}`}
}

/** Adds the ignored drift to the message of a condition. */
function withIgnored(condition: ConditionInput, ignored: readonly ReleaseDrift[]): ConditionInput {
  if (ignored.length === 0) return condition
  const reason = condition === AS_DEPLOYED ? 'Ignored' : condition.reason
  return {...condition, reason, message: `${condition.message}; ignored: ${listed(describeDrift(ignored))}`}
}

function describeDrift(drifted: readonly ReleaseDrift[]): readonly string[] {
  return drifted.flatMap(({release, objects}) =>
    objects.map(({kind, name, state, fields}) => {
      const managers = [...new Set(fields.flatMap(({manager}) => manager ?? []))]
      const change = state === 'gone' ? 'is gone' : fields.map(({path}) => path).join(', ')
      return `${release} ${kind}/${name} ${change}${managers.length > 0 ? ` (by ${managers.join(', ')})` : ''}`
    }),
  )
}

/** Objects per message. */
const MAX_LISTED = 20

function listed(texts: readonly string[]): string {
  const more = texts.length > MAX_LISTED ? [`${texts.length - MAX_LISTED} more`] : []
  return [...texts.slice(0, MAX_LISTED), ...more].join('; ')
}
