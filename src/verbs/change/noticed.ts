import {KkError} from '../../base/errors.ts'
import type {Exec, SeenPod} from '../../kubernetes/exec/exec.ts'
import type {ActionForecast, Impact} from '../../plan/forecast/action-forecast.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'
import type {RunState} from '../../run/run-state.ts'

/** What a prober recorded of one of its probes in a time range (charts/probers). Times are in seconds. */
export interface ProbeSummary {
  readonly tried: number
  readonly failed: number
  readonly longestGapSeconds: number
  readonly slowestSeconds: number
  readonly firstFailures: readonly {readonly time: string; readonly text: string}[]
}

interface Recorded {
  /** By the name of the probe: `token`, `ping web`. */
  readonly probes: Readonly<Record<string, ProbeSummary>>
  /** Whether the prober ran all the time. */
  readonly isWhole: boolean
}

/** What users and instances noticed while an action ran, beside what was expected. */
export interface NoticedAction extends Recorded {
  readonly release: ReleaseId
  /** Milliseconds since the epoch. */
  readonly startedAt: number
  readonly endedAt: number
  readonly expected: {readonly users: Impact; readonly instances: Impact} | undefined
}

/**
 * Reads the record for times of kk's clock, of which the last argument is the present one. A difference of
 * less than five seconds is the time that it takes to start this program.
 */
export const READ_RECORD = `
import json, os, sys, urllib.request
URL = "http://%s:9310/record" % ("[::1]" if ":" in os.environ["POD_IP"] else "127.0.0.1")
def read(since, until):
    with urllib.request.urlopen("%s?since=%f&until=%f" % (URL, since, until), timeout=8) as answer:
        return json.load(answer)
skew = read(1e12, 0)["now"] - float(sys.argv[2])
skew = 0 if abs(skew) < 5 else skew
def recorded(since, until):
    answer = read(since + skew, until + skew)
    return {"probes": answer["probes"], "isWhole": answer["began"] <= since + skew}
print(json.dumps([recorded(since, until) for since, until in json.loads(sys.argv[1])]))
`

interface Sources {
  readonly exec: Exec
  /** Those of probers. */
  readonly namespaces: Iterable<string>
  readonly forecast?: readonly ActionForecast[] | undefined
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly signal?: AbortSignal
}

const TIMEOUT_MS = 20_000

/**
 * Returns what the prober recorded while each action of a run lasted, in the order in which they began;
 * undefined if none runs, or nothing was changed. With several probers each is asked for its namespace.
 * Throws `KK_EXEC`, and like the functions of `Cluster`.
 */
export async function readNoticed(
  {releases, lastAt}: RunState,
  {exec, namespaces, forecast = [], now, signal}: Sources,
): Promise<readonly NoticedAction[] | undefined> {
  const actions = [...releases.values()]
    .flatMap(({release, times: {startedAt, endedAt = lastAt}}) =>
      startedAt === undefined ? [] : [{release, startedAt, endedAt}],
    )
    .toSorted((a, b) => a.startedAt - b.startedAt)
  if (actions.length === 0) return undefined
  const pods = await findProbers(exec, namespaces)
  const asked = pods.map(async (pod) => {
    const own = actions.filter(
      ({release}) => pods.length === 1 || releaseNamespace(release) === pod.namespace,
    )
    const records = await readRecord(own, pod, {exec, now, signal})
    return own.map((action, index) => {
      const expected = forecast.find(({release}) => release === action.release)
      const impacts = expected && {users: expected.users.impact, instances: expected.instances.impact}
      return {...action, expected: impacts, ...records[index]!}
    })
  })
  const noticed = (await Promise.all(asked)).flat()
  return noticed.length === 0 ? undefined : noticed
}

async function readRecord(
  actions: readonly Pick<NoticedAction, 'startedAt' | 'endedAt'>[],
  {namespace, name, container}: SeenPod,
  {exec, now, signal}: Pick<Sources, 'exec' | 'now' | 'signal'>,
): Promise<readonly Recorded[]> {
  const periods = actions.map(({startedAt, endedAt}) => [startedAt / 1000, endedAt / 1000])
  const {code, stdout, stderr} = await exec.run({
    ...{namespace, pod: name, container, timeout: TIMEOUT_MS, signal},
    command: ['python3', '-c', READ_RECORD, JSON.stringify(periods), `${now() / 1000}`],
  })
  if (code === 0) return JSON.parse(stdout)
  throw new KkError('KK_EXEC', `${name}: ${stderr.trim().split('\n').at(-1) ?? ''}`)
}

async function findProbers(exec: Exec, namespaces: Iterable<string>): Promise<readonly SeenPod[]> {
  const pods = await Promise.all([...namespaces].map((namespace) => exec.pods(namespace)))
  return pods
    .flat()
    .filter(({chart, component, isRunning}) => chart === 'probers' && component === 'prober' && isRunning)
}
