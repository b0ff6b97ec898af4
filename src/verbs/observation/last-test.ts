import {isUserTest, testHooks} from '../../kubernetes/manifest/manifest.ts'
import type {StoredRelease} from '../../kubernetes/records/release-record.ts'
import {type ReleaseId, releaseName} from '../../release.ts'

/** The last run of tests, from helm's records. Helm keeps it with the revision that was tested. */
export interface LastTest {
  /** `passed` only if every test has; `not-tested` if one of them has not ended since its revision exists. */
  readonly state: 'passed' | 'failed' | 'not-tested'
  /** The time at which the last of them ended, ISO 8601 by the clock of the machine that ran helm. */
  readonly at?: string
  /** A later change, of which the tests say nothing: `revision 5`. */
  readonly before?: string
}

/** The data about tests in one record. */
export interface RecordedTests {
  /** The last run of the tests of its own service; undefined if it has none. */
  readonly own: LastTest | undefined
  /** That of its tests that use the whole cloud. */
  readonly user: LastTest | undefined
  /** The time at which helm finished the revision, ISO 8601. */
  readonly deployedAt: string | undefined
}

/** Reads the tests of a record. */
export function recordedTests({hookRuns = [], deployedAt, revision}: StoredRelease): RecordedTests {
  const tests = hookRuns.flatMap((run) => testHooks({hooks: [run.manifest]}).map((hook) => ({hook, run})))
  const lastOf = (isUser: boolean) => {
    const test = lastTest(tests.filter(({hook}) => isUserTest(hook) === isUser).map(({run}) => run))
    return test && before(test, deployedAt, `revision ${revision}`)
  }
  return {own: lastOf(false), user: lastOf(true), deployedAt}
}

/** Returns the last test of the whole cloud, compared with the last change of every release. */
export function lastUserTest(
  recorded: Iterable<readonly [ReleaseId, number, RecordedTests]>,
): LastTest | undefined {
  const all = [...recorded]
  const [test] = all.flatMap(([, , {user}]) => user ?? []).sort((a, b) => rank(a) - rank(b))
  if (!test) return undefined
  const [latest] = all.toSorted(([, , a], [, , b]) => time(b.deployedAt) - time(a.deployedAt))
  const [release, revision, {deployedAt}] = latest!
  return before(test, deployedAt, `revision ${revision} of ${releaseName(release)}`)
}

/** The worst result first. */
function rank({state}: LastTest): number {
  return ['failed', 'not-tested', 'passed'].indexOf(state)
}

type HookRuns = NonNullable<StoredRelease['hookRuns']>

function lastTest(runs: HookRuns): LastTest | undefined {
  if (runs.length === 0) return undefined
  const at = runs.map(({completedAt}) => completedAt).toSorted((a, b) => time(b) - time(a))[0]
  const ended = time(at) > 0 && at !== undefined ? {at} : {}
  if (runs.some(({phase}) => phase === 'Failed')) return {state: 'failed', ...ended}
  if (runs.every(({phase}) => phase === 'Succeeded')) return {state: 'passed', ...ended}
  return {state: 'not-tested'}
}

function before(test: LastTest, changedAt: string | undefined, change: string): LastTest {
  return test.at !== undefined && time(test.at) < time(changedAt) ? {...test, before: change} : test
}

/** Milliseconds since the epoch; 0 for none, such as the zero time of Go. */
function time(text: string | undefined): number {
  return Math.max(0, Date.parse(text ?? '') || 0)
}
