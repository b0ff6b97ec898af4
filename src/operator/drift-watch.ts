import {seconds} from '../base/duration.ts'
import {asKkError} from '../base/errors.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import {type IgnoreRule, ignoredFields} from '../plan/drift/ignored.ts'
import type {Prepared} from '../prepare/prepare.ts'
import {correctDrift, type ReleaseDrift} from '../verbs/observation/drift.ts'
import {drift} from '../verbs/observation/drift-of.ts'
import type {Finding} from './kinds/conditions.ts'
import type {EnvironmentObject} from './kinds/environment-kind.ts'

/** What looks for drift, and corrects it. */
export interface DriftPorts {
  /** Compares all releases of an environment with their manifests. */
  look(prepared: Prepared): Promise<readonly ReleaseDrift[]>
  /** Writes objects of a release as its manifest says, but for what is ignored of them: `Deployment/api`. */
  correct(drift: ReleaseDrift, objects: ReadonlySet<string>, ignore: readonly IgnoreRule[]): Promise<void>
}

export function driftPorts(cluster: Cluster): DriftPorts {
  return {
    look: (prepared) => {
      const {environment} = prepared
      return drift(cluster, {names: [], owner: environment.name, environment, prepared})
    },
    correct: (found, objects, ignore) =>
      correctDrift(cluster, found, {isMeant: ({kind, name}) => objects.has(`${kind}/${name}`), ignore}),
  }
}

/** Looks at Environments, of which nothing is to be done, for objects that are not as the manifests say. */
export interface DriftWatch {
  /** Returns what is known of an Environment; looks, and corrects, if it is time to. */
  look(environment: EnvironmentObject, prepared: Prepared, ports: DriftPorts): Promise<Finding | undefined>
  /** How long until it is time to look, in milliseconds. */
  due(environment: string): number
  forget(environment: string): void
}

interface Known {
  generation: number
  nextAt: number
  finding: Finding | undefined
  /** When each object was corrected: `openstack/keystone Deployment/api`. */
  readonly corrected: Map<string, readonly number[]>
}

const EVERY = '1h'
/** An object that was corrected so often within this time is somebody else's, too: it is corrected no more. */
const MOST_CORRECTIONS = 5
const MEMORY = 3_600_000
/** After a correction it is looked again, later each time. */
const FIRST_PAUSE = 10_000

export function newDriftWatch(clock: () => number = Date.now): DriftWatch {
  const known = new Map<string, Known>()

  async function correct(
    entry: Known,
    drifted: readonly ReleaseDrift[],
    {
      ports,
      now,
      ignore,
    }: {readonly ports: DriftPorts; readonly now: number; readonly ignore: readonly IgnoreRule[]},
  ): Promise<void> {
    const tries = (key: string) => (entry.corrected.get(key) ?? []).filter((at) => at > now - MEMORY)
    const changed = drifted.flatMap(keysOf)
    const mine = new Set(changed.filter((key) => tries(key).length < MOST_CORRECTIONS))
    for (const key of mine) entry.corrected.set(key, [...tries(key), now])
    try {
      for (const each of drifted) {
        const objects = keysOf(each).filter((key) => mine.has(key))
        const names = new Set(objects.map((key) => key.split(' ')[1]!))
        if (names.size > 0) await ports.correct(each, names, ignore)
      }
    } catch (error) {
      entry.finding = {...driftedFinding('NotCorrected', drifted), message: asKkError(error).message}
      return
    }
    if (mine.size === 0) {
      if (changed.length > 0) entry.finding = driftedFinding('Contested', drifted)
      return
    }
    const most = Math.max(...[...mine].map((key) => tries(key).length))
    entry.nextAt = Math.min(entry.nextAt, now + FIRST_PAUSE * 2 ** (most - 1))
    const isAll = drifted.every(({objects}) => objects.every(({state}) => state === 'changed'))
    if (mine.size === changed.length && isAll) entry.finding = correctedFinding(changed)
    else if (mine.size < changed.length) entry.finding = driftedFinding('Contested', drifted)
  }

  return {
    async look({metadata: {name, generation = 1}, spec}, prepared, ports) {
      const {mode = 'warn', every = EVERY, ignore = []} = spec.drift ?? {}
      const pause = (seconds(every) ?? 3_600) * 1000
      const now = clock()
      const before = known.get(name)
      const isKnown = before?.generation === generation
      // Not at once: a leader that has just begun would ask for all objects of all Environments.
      const entry: Known = isKnown
        ? before
        : {generation, nextAt: now + pause, finding: undefined, corrected: new Map()}
      known.set(name, entry)
      if (mode === 'ignore') {
        known.set(name, {...entry, nextAt: Number.POSITIVE_INFINITY, finding: undefined})
        return undefined
      }
      if (now < entry.nextAt) return entry.finding
      const found = (await ports.look(prepared)).map(({objects, ...release}) => ({
        ...release,
        objects: objects.filter(isSeen),
      }))
      const [drifted, ignored] = sides(found, ignore)
      entry.nextAt = now + pause
      entry.finding = drifted.length === 0 ? AS_DEPLOYED : driftedFinding('Drifted', drifted)
      if (mode === 'correct') await correct(entry, drifted, {ports, now, ignore})
      entry.finding = besides(entry.finding, ignored)
      return entry.finding
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
function isSeen({state}: Drifted): boolean {
  return state !== 'unknown'
}

/** Returns what has drifted, and what of it is ignored. */
function sides(
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
function keysOf({release, objects}: ReleaseDrift): readonly string[] {
  return objects.filter(({state}) => state === 'changed').map(({kind, name}) => `${release} ${kind}/${name}`)
}

const AS_DEPLOYED: Finding = {
  type: 'Drifted',
  status: 'False',
  reason: 'AsDeployed',
  message: 'every object is as its manifest says',
}

function correctedFinding(keys: readonly string[]): Finding {
  return {type: 'Drifted', status: 'False', reason: 'Corrected', message: `corrected ${listed(keys)}`}
}

function driftedFinding(
  reason: 'Drifted' | 'Contested' | 'NotCorrected',
  drifted: readonly ReleaseDrift[],
): Finding {
  const why = reason === 'Contested' ? 'somebody changes back what is corrected, so it is left: ' : ''
  return {type: 'Drifted', status: 'True', reason, message: `${why}${listed(textsOf(drifted))}`}
}

/** Returns a finding that tells also what `spec.drift.ignore` leaves alone. */
function besides(finding: Finding, ignored: readonly ReleaseDrift[]): Finding {
  if (ignored.length === 0) return finding
  const reason = finding === AS_DEPLOYED ? 'Ignored' : finding.reason
  return {...finding, reason, message: `${finding.message}; ignored: ${listed(textsOf(ignored))}`}
}

function textsOf(drifted: readonly ReleaseDrift[]): readonly string[] {
  return drifted.flatMap(({release, objects}) =>
    objects.map(({kind, name, state, fields}) => {
      const managers = [...new Set(fields.flatMap(({manager}) => manager ?? []))]
      const what = state === 'gone' ? 'is gone' : fields.map(({path}) => path).join(', ')
      return `${release} ${kind}/${name} ${what}${managers.length > 0 ? ` (by ${managers.join(', ')})` : ''}`
    }),
  )
}

/** The objects that a message names at most. */
const NAMED = 20

function listed(texts: readonly string[]): string {
  const more = texts.length > NAMED ? [`${texts.length - NAMED} more`] : []
  return [...texts.slice(0, NAMED), ...more].join('; ')
}
