import {seconds} from '../base/duration.ts'
import {asKkError} from '../base/errors.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import {type IgnoreRule, ignoredFields} from '../plan/drift/ignored.ts'
import type {Prepared} from '../prepare/prepare.ts'
import {correctDrift, type ReleaseDrift} from '../verbs/observation/drift.ts'
import {drift} from '../verbs/observation/drift-of.ts'
import type {ConditionInput} from './crds/conditions.ts'
import type {EnvironmentObject} from './crds/environment.ts'

/** What looks for drift, and corrects it. */
export interface DriftPorts {
  /** Compares all releases of an environment with their manifests. */
  compare(prepared: Prepared): Promise<readonly ReleaseDrift[]>
  /** Writes objects of a release as its manifest says, but for what is ignored of them: `Deployment/api`. */
  correct(drift: ReleaseDrift, objects: ReadonlySet<string>, ignore: readonly IgnoreRule[]): Promise<void>
}

export function driftPorts(cluster: Cluster): DriftPorts {
  return {
    compare: (prepared) => {
      const {environment} = prepared
      return drift(cluster, {names: [], owner: environment.name, environment, prepared})
    },
    correct: (found, objects, ignore) =>
      correctDrift(cluster, found, {isMeant: ({kind, name}) => objects.has(`${kind}/${name}`), ignore}),
  }
}

/** Looks at Environments, of which nothing is to be done, for objects that are not as the manifests say. */
export interface DriftWatcher {
  /** Returns what is known of an Environment; looks, and corrects, if it is time to. */
  check(
    environment: EnvironmentObject,
    prepared: Prepared,
    ports: DriftPorts,
  ): Promise<ConditionInput | undefined>
  /** How long until it is time to look, in milliseconds. */
  due(environment: string): number
  forget(environment: string): void
}

interface DriftState {
  generation: number
  nextAt: number
  condition: ConditionInput | undefined
  /** When each object was corrected: `openstack/keystone Deployment/api`. */
  readonly corrected: Map<string, readonly number[]>
}

const DEFAULT_INTERVAL = '1h'
/** An object that was corrected so often within this time is somebody else's, too: it is corrected no more. */
const MAX_CORRECTIONS = 5
const CORRECTION_WINDOW_MS = 3_600_000
/** After a correction it is looked again, later each time. */
const INITIAL_BACKOFF_MS = 10_000

export function newDriftWatcher(clock: () => number = Date.now): DriftWatcher {
  const known = new Map<string, DriftState>()

  async function correct(
    entry: DriftState,
    drifted: readonly ReleaseDrift[],
    {
      ports,
      now,
      ignore,
    }: {readonly ports: DriftPorts; readonly now: number; readonly ignore: readonly IgnoreRule[]},
  ): Promise<void> {
    const tries = (key: string) =>
      (entry.corrected.get(key) ?? []).filter((at) => at > now - CORRECTION_WINDOW_MS)
    const changed = drifted.flatMap(correctableKeys)
    const mine = new Set(changed.filter((key) => tries(key).length < MAX_CORRECTIONS))
    for (const key of mine) entry.corrected.set(key, [...tries(key), now])
    try {
      for (const each of drifted) {
        const objects = correctableKeys(each).filter((key) => mine.has(key))
        const names = new Set(objects.map((key) => key.split(' ')[1]!))
        if (names.size > 0) await ports.correct(each, names, ignore)
      }
    } catch (error) {
      entry.condition = {...driftedCondition('NotCorrected', drifted), message: asKkError(error).message}
      return
    }
    if (mine.size === 0) {
      if (changed.length > 0) entry.condition = driftedCondition('Contested', drifted)
      return
    }
    const most = Math.max(...[...mine].map((key) => tries(key).length))
    entry.nextAt = Math.min(entry.nextAt, now + INITIAL_BACKOFF_MS * 2 ** (most - 1))
    const isAll = drifted.every(({objects}) => objects.every(({state}) => state === 'changed'))
    if (mine.size === changed.length && isAll) entry.condition = correctedCondition(changed)
    else if (mine.size < changed.length) entry.condition = driftedCondition('Contested', drifted)
  }

  return {
    async check({metadata: {name, generation = 1}, spec}, prepared, ports) {
      const {mode = 'warn', every = DEFAULT_INTERVAL, ignore = []} = spec.drift ?? {}
      const pause = (seconds(every) ?? 3_600) * 1000
      const now = clock()
      const before = known.get(name)
      const isKnown = before?.generation === generation
      // Not at once: a leader that has just begun would ask for all objects of all Environments.
      const entry: DriftState = isKnown
        ? before
        : {generation, nextAt: now + pause, condition: undefined, corrected: new Map()}
      known.set(name, entry)
      if (mode === 'ignore') {
        known.set(name, {...entry, nextAt: Number.POSITIVE_INFINITY, condition: undefined})
        return undefined
      }
      if (now < entry.nextAt) return entry.condition
      const found = (await ports.compare(prepared)).map(({objects, ...release}) => ({
        ...release,
        objects: objects.filter(hasKnownState),
      }))
      const [drifted, ignored] = partitionIgnored(found, ignore)
      entry.nextAt = now + pause
      entry.condition = drifted.length === 0 ? AS_DEPLOYED : driftedCondition('Drifted', drifted)
      if (mode === 'correct') await correct(entry, drifted, {ports, now, ignore})
      entry.condition = withIgnored(entry.condition, ignored)
      return entry.condition
    },
    due(name) {
      const {nextAt = Number.POSITIVE_INFINITY} = known.get(name) ?? {}
      return Math.max(0, nextAt - clock())
    },
    forget: (name) => void known.delete(name),
  }
}

type Drifted = ReleaseDrift['objects'][number]

/** Whether it is known how the object is. */
function hasKnownState({state}: Drifted): boolean {
  return state !== 'unknown'
}

/** Returns what has drifted, and what of it is ignored. */
function partitionIgnored(
  found: readonly ReleaseDrift[],
  ignore: readonly IgnoreRule[],
): readonly [drifted: readonly ReleaseDrift[], ignored: readonly ReleaseDrift[]] {
  const side = (isIgnored: boolean) =>
    found
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

/** The objects of a release that can be corrected; what is gone is made again by a deploy. */
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
  const why = reason === 'Contested' ? 'somebody changes back what is corrected, so it is left: ' : ''
  return {type: 'Drifted', status: 'True', reason, message: `${why}${listed(describeDrift(drifted))}`}
}

/** Returns a finding that tells also what `spec.drift.ignore` leaves alone. */
function withIgnored(condition: ConditionInput, ignored: readonly ReleaseDrift[]): ConditionInput {
  if (ignored.length === 0) return condition
  const reason = condition === AS_DEPLOYED ? 'Ignored' : condition.reason
  return {...condition, reason, message: `${condition.message}; ignored: ${listed(describeDrift(ignored))}`}
}

function describeDrift(drifted: readonly ReleaseDrift[]): readonly string[] {
  return drifted.flatMap(({release, objects}) =>
    objects.map(({kind, name, state, fields}) => {
      const managers = [...new Set(fields.flatMap(({manager}) => manager ?? []))]
      const what = state === 'gone' ? 'is gone' : fields.map(({path}) => path).join(', ')
      return `${release} ${kind}/${name} ${what}${managers.length > 0 ? ` (by ${managers.join(', ')})` : ''}`
    }),
  )
}

/** The objects that a message names at most. */
const MAX_LISTED = 20

function listed(texts: readonly string[]): string {
  const more = texts.length > MAX_LISTED ? [`${texts.length - MAX_LISTED} more`] : []
  return [...texts.slice(0, MAX_LISTED), ...more].join('; ')
}
