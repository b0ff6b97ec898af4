import {KkError} from '../../base/errors.ts'
import type {Exec} from '../../kubernetes/exec/exec.ts'
import type {ActionForecast, Impact} from '../../plan/forecast/action-forecast.ts'
import type {ReleaseId} from '../../release.ts'
import type {RunState} from '../../run/run-state.ts'

/** What a prober recorded of one of its probes in a time range (charts/probers). Times are in seconds. */
export interface ProbeSummary {
  readonly tried: number
  readonly failed: number
  readonly longestGapSeconds: number
  readonly slowestSeconds: number
  readonly firstFailures: readonly {readonly time: string; readonly text: string}[]
}

/** What users and instances noticed while an action ran, beside what was expected. */
export interface NoticedAction {
  readonly release: ReleaseId
  readonly expected: {readonly users: Impact; readonly instances: Impact} | undefined
  /** By the name of the probe: `token`, `ping web`. */
  readonly probes: Readonly<Record<string, ProbeSummary>>
}

/**
 * Reads the record for periods that are given as seconds before now: so the clocks of kk and of the node need
 * not agree.
 */
const READ = `
import json, os, sys, urllib.request
URL = "http://%s:9310/record" % ("[::1]" if ":" in os.environ["POD_IP"] else "127.0.0.1")
def read(query):
    with urllib.request.urlopen(URL + query, timeout=20) as answer:
        return json.load(answer)
now = read("?since=1e12")["now"]
print(json.dumps([read("?since=%f&until=%f" % (now - since, now - until))["probes"] for since, until in json.loads(sys.argv[1])]))
`

interface Sources {
  readonly exec: Exec
  readonly namespaces: Iterable<string>
  readonly forecast: readonly ActionForecast[] | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
}

/**
 * Returns what the prober of these namespaces recorded while each action of a run lasted, in the order in which they began; undefined
 * if none runs, or nothing was changed. Actions that ran at the same time have the same failures. Throws `KK_EXEC`, and like the
 * functions of `Cluster`.
 */
export async function readNoticed(
  {releases}: RunState,
  {exec, namespaces, forecast = [], now}: Sources,
): Promise<readonly NoticedAction[] | undefined> {
  const actions = [...releases.values()].flatMap(({release, times: {startedAt, endedAt}}) =>
    startedAt === undefined ? [] : [{release, since: startedAt, until: endedAt ?? now}],
  )
  const pod = actions.length > 0 ? await findProber(exec, namespaces) : undefined
  if (!pod) return undefined
  actions.sort((a, b) => a.since - b.since)
  const periods = actions.map(({since, until}) => [(now - since) / 1000, (now - until) / 1000])
  const {namespace, name, container} = pod
  const {code, stdout, stderr} = await exec.run({
    ...{namespace, pod: name, container, timeout: 60_000},
    command: ['python3', '-c', READ, JSON.stringify(periods)],
  })
  if (code !== 0) throw new KkError('KK_EXEC', `${name}: ${stderr.trim().split('\n').at(-1) ?? ''}`)
  const records = JSON.parse(stdout) as readonly NoticedAction['probes'][]
  return actions.map(({release}, index) => {
    const expected = forecast.find((each) => each.release === release)
    return {
      release,
      expected: expected && {users: expected.users.impact, instances: expected.instances.impact},
      probes: records[index]!,
    }
  })
}

async function findProber(exec: Exec, namespaces: Iterable<string>) {
  const pods = await Promise.all([...namespaces].map((namespace) => exec.pods(namespace)))
  return pods
    .flat()
    .find(({chart, component, isRunning}) => chart === 'probers' && component === 'prober' && isRunning)
}
