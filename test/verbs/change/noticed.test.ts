import {describe, expect, it} from 'vitest'
import type {Program, SeenPod} from '../../../src/kubernetes/exec/exec.ts'
import type {ActionForecast, Impact} from '../../../src/plan/forecast/action-forecast.ts'
import {releaseId} from '../../../src/release.ts'
import {palette} from '../../../src/report/colour.ts'
import {noticedText} from '../../../src/report/run/noticed-text.ts'
import {viewText} from '../../../src/report/text/view.ts'
import {NO_RUN, nextState, type RunState} from '../../../src/run/run-state.ts'
import {type ProbeSummary, readNoticed} from '../../../src/verbs/change/noticed.ts'
import {goodRun} from '../../report/support/all-in-one.ts'

const NOTHING = {tried: 0, failed: 0, longestGapSeconds: 0, slowestSeconds: 0, firstFailures: []}
const POD: SeenPod = {
  ...{namespace: 'openstack', name: 'probers-prober-1', release: 'probers', chart: 'probers'},
  ...{component: 'prober', container: 'prober', node: 'one', isRunning: true, image: '', digest: ''},
}
const run = (): RunState => goodRun().reduce(nextState, NO_RUN)
const endOf = (state: RunState) => state.startedAt + 60_000

/** A cluster with these pods, in one of which the program prints this, once for each period. */
function cluster(pods: readonly SeenPod[], printed: object = {token: NOTHING}, code = 0) {
  const programs: Program[] = []
  return {
    programs,
    exec: {
      pods: async (namespace: string) => pods.filter((pod) => pod.namespace === namespace),
      run: async (program: Program) => {
        programs.push(program)
        const periods = JSON.parse(program.command.at(-1)!) as readonly unknown[]
        const stdout = JSON.stringify(periods.map(() => printed))
        return {code, stdout, stderr: 'Traceback\nOSError: refused'}
      },
    },
  }
}

const expected = (release: string, users: Impact, instances: Impact = 'none'): ActionForecast => ({
  ...{release: releaseId('openstack', release), migrations: [], replacesImages: true, seconds: 1, runs: 0},
  users: {impact: users, why: []},
  instances: {impact: instances, why: []},
})

describe('what users noticed of a run', () => {
  it('is what the prober recorded while each action lasted, in the order in which they began', async () => {
    const state = run()
    const {exec, programs} = cluster([POD])

    const noticed = await readNoticed(state, {
      ...{exec, namespaces: ['openstack'], now: endOf(state)},
      forecast: [expected('keystone', 'brief')],
    })

    const periods = JSON.parse(programs[0]!.command.at(-1)!) as readonly (readonly [number, number])[]
    expect(periods.map(([since]) => since)).toEqual(periods.map(([since]) => since).toSorted((a, b) => b - a))
    for (const [since, until] of periods) expect(since).toBeGreaterThan(until)
    const keystone = noticed!.findIndex(({release}) => release === releaseId('openstack', 'keystone'))
    const {startedAt, endedAt} = state.releases.get(releaseId('openstack', 'keystone'))!.times
    expect(periods[keystone]).toEqual([startedAt!, endedAt!].map((at) => (endOf(state) - at) / 1000))
    expect(noticed![keystone]).toEqual({
      release: releaseId('openstack', 'keystone'),
      expected: {users: 'brief', instances: 'none'},
      probes: {token: NOTHING},
    })
    expect(noticed).toHaveLength(state.releases.size)
  })

  it.each([
    ['without a prober', [{...POD, chart: 'keystone'}]],
    ['while it does not run', [{...POD, isRunning: false}]],
  ])('is not known %s', async (_, pods) => {
    const state = run()
    const sources = {exec: cluster(pods).exec, namespaces: ['openstack'], forecast: [], now: endOf(state)}

    expect(await readNoticed(state, sources)).toBeUndefined()
  })

  it('is not asked for if nothing was changed', async () => {
    const {exec, programs} = cluster([POD])

    await readNoticed(NO_RUN, {exec, namespaces: ['openstack'], forecast: [], now: 0})

    expect(programs).toEqual([])
  })

  it('is an error if the prober cannot be asked', async () => {
    const state = run()
    const {exec} = cluster([POD], {}, 1)

    await expect(
      readNoticed(state, {exec, namespaces: ['openstack'], forecast: [], now: endOf(state)}),
    ).rejects.toMatchObject({code: 'KK_EXEC', message: 'probers-prober-1: OSError: refused'})
  })
})

describe('the table of what was noticed', () => {
  const probe = (tried: number, failed: number, more: Partial<ProbeSummary> = {}): ProbeSummary => ({
    ...{tried, failed, longestGapSeconds: 0.4, slowestSeconds: 0.6},
    firstFailures: failed > 0 ? [{time: '2026-11-30T10:00:00.000Z', text: 'HTTP 503'}] : [],
    ...more,
  })
  const action = (
    release: string,
    users: Impact,
    probes: Readonly<Record<string, ProbeSummary>>,
    instances: Impact = 'none',
  ) => ({release: releaseId('openstack', release), expected: {users, instances}, probes})

  it('has what was expected beside it, and says what nobody expected', () => {
    const text = noticedText(
      [
        action('keystone', 'brief', {token: probe(40, 2), servers: probe(10, 0)}),
        action('nova', 'none', {token: probe(40, 1), servers: probe(10, 0, {slowestSeconds: 9.2})}),
        action(
          'openvswitch',
          'none',
          {
            token: probe(40, 0),
            'ping web': probe(500, 7, {longestGapSeconds: 1.6}),
            'ssh web': probe(50, 0),
          },
          'outage',
        ),
      ],
      palette(0),
    )

    expect(viewText(text)).toMatchInlineSnapshot(`
      "WHAT WAS NOTICED  USERS                                   EXPECTED  INSTANCES                         EXPECTED
      keystone          2 of 50 failed: token 2                 brief     not measured                      nothing
      nova              1 of 50 failed: token 1; slowest 9.2 s  nothing   not measured                      nothing
      openvswitch       none of 40 failed                       nothing   7 of 550 lost, longest gap 1.6 s  an outage
      nova: nothing was expected, and token failed at 2026-11-30T10:00:00.000Z: HTTP 503
      "
    `)
  })
})
