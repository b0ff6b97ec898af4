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

/** A cluster with these pods, in each of which the program prints this for each period. */
function cluster(pods: readonly SeenPod[], code = 0) {
  const programs: Program[] = []
  const exec = {
    pods: async (namespace: string) => pods.filter((pod) => pod.namespace === namespace),
    run: async (program: Program) => {
      programs.push(program)
      const recorded = periodsOf(program).map(() => ({probes: {token: NOTHING}, isWhole: true}))
      return {code, stdout: JSON.stringify(recorded), stderr: 'Traceback\nOSError: refused'}
    },
  }
  return {programs, exec}
}

const periodsOf = ({command}: Program) =>
  JSON.parse(command.at(-2)!) as readonly (readonly [number, number])[]

const expected = (release: string, users: Impact, instances: Impact = 'none'): ActionForecast => ({
  ...{release: releaseId('openstack', release), migrations: [], replacesImages: true, seconds: 1, runs: 0},
  users: {impact: users, why: []},
  instances: {impact: instances, why: []},
})

describe('what users noticed of a run', () => {
  const now = () => 5_000
  const of = (name: string, namespace = 'openstack') => releaseId(namespace, name)

  it('is what the prober recorded while each action lasted, in the order in which they began', async () => {
    const state = run()
    const {exec, programs} = cluster([POD])

    const noticed = await readNoticed(state, {
      ...{exec, namespaces: ['openstack'], now},
      forecast: [expected('keystone', 'brief')],
    })

    const began = noticed!.map(({startedAt}) => startedAt)
    expect(began).toEqual(began.toSorted((a, b) => a - b))
    expect(periodsOf(programs[0]!)).toEqual(
      noticed!.map(({startedAt, endedAt}) => [startedAt / 1000, endedAt / 1000]),
    )
    expect(programs[0]!.command.at(-1)).toBe('5')
    const {startedAt, endedAt} = state.releases.get(of('keystone'))!.times
    expect(noticed!.find(({release}) => release === of('keystone'))).toEqual({
      ...{release: of('keystone'), startedAt, endedAt},
      expected: {users: 'brief', instances: 'none'},
      ...{probes: {token: NOTHING}, isWhole: true},
    })
    expect(noticed).toHaveLength(state.releases.size)
  })

  it('is asked of each prober for its own namespace, if there are several', async () => {
    const {exec, programs} = cluster([POD, {...POD, namespace: 'other'}])

    const noticed = await readNoticed(run(), {exec, namespaces: ['openstack', 'other'], now})

    expect(
      programs.map(({namespace, ...program}) => [namespace, periodsOf(program as Program).length]),
    ).toEqual([
      ['openstack', run().releases.size],
      ['other', 0],
    ])
    expect(noticed).toHaveLength(run().releases.size)
  })

  it.each([
    ['without a prober', [{...POD, chart: 'keystone'}]],
    ['while it does not run', [{...POD, isRunning: false}]],
  ])('is not known %s', async (_, pods) => {
    expect(
      await readNoticed(run(), {exec: cluster(pods).exec, namespaces: ['openstack'], now}),
    ).toBeUndefined()
  })

  it('is not asked for if nothing was changed', async () => {
    const {exec, programs} = cluster([POD])

    await readNoticed(NO_RUN, {exec, namespaces: ['openstack'], now})

    expect(programs).toEqual([])
  })

  it('is an error if the prober cannot be asked', async () => {
    const {exec} = cluster([POD], 1)

    await expect(readNoticed(run(), {exec, namespaces: ['openstack'], now})).rejects.toMatchObject({
      code: 'KK_EXEC',
      message: 'probers-prober-1: OSError: refused',
    })
  })
})

describe('the table of what was noticed', () => {
  const probe = (tried: number, failed: number, more: Partial<ProbeSummary> = {}): ProbeSummary => ({
    ...{tried, failed, longestGapSeconds: 0.4, slowestSeconds: 0.6},
    firstFailures: failed > 0 ? [{time: '2026-11-30T10:00:00.000Z', text: 'HTTP 503'}] : [],
    ...more,
  })
  /** One that lasts from one second to another one. */
  const action = (
    release: string,
    [from, to]: readonly [number, number],
    users: Impact,
    probes: Readonly<Record<string, ProbeSummary>>,
    isWhole = true,
  ) => ({
    ...{release: releaseId('openstack', release), startedAt: from * 1000, endedAt: to * 1000},
    ...{expected: {users, instances: 'none' as const}, probes, isWhole},
  })

  it('has the forecast beside it, and names failures that were not foreseen', () => {
    const text = noticedText(
      [
        action('keystone', [0, 10], 'brief', {token: probe(40, 2), servers: probe(10, 0)}),
        // While keystone changes, whose fault it may be.
        action('glance', [5, 15], 'none', {token: probe(40, 2)}),
        action('nova', [20, 30], 'none', {
          token: probe(40, 1),
          servers: probe(10, 0, {slowestSeconds: 9.2}),
          'server create': probe(2, 0, {slowestSeconds: 40, longestGapSeconds: 60}),
          'server calls': probe(9, 3),
        }),
        action('neutron', [25, 35], 'none', {token: probe(40, 1)}),
        action('cinder', [40, 50], 'none', {token: probe(3, 0, {longestGapSeconds: 12})}, false),
        action('openvswitch', [60, 70], 'none', {
          token: probe(40, 0),
          'ping web': probe(500, 7, {longestGapSeconds: 1.6}),
          'ssh web': probe(50, 0),
        }),
      ],
      palette(0),
    )

    expect(viewText(text)).toMatchInlineSnapshot(`
      "WHAT WAS NOTICED  USERS                                                   EXPECTED  INSTANCES                                       EXPECTED
      keystone          2 of 50 failed: token 2                                 brief     not measured                                    nothing
      glance            2 of 40 failed: token 2                                 nothing   not measured                                    nothing
      nova              1 of 52 failed: token 1; slowest 9.2 s                  nothing   not measured                                    nothing
      neutron           1 of 40 failed: token 1                                 nothing   not measured                                    nothing
      cinder            none of 3 failed; longest gap 12.0 s; measured in part  nothing   not measured                                    nothing
      openvswitch       none of 40 failed                                       nothing   7 of 550 failed: ping web 7; longest gap 1.6 s  nothing
      nova: nothing was expected, and token failed at 2026-11-30T10:00:00.000Z: HTTP 503
      openvswitch: nothing was expected, and ping web failed at 2026-11-30T10:00:00.000Z: HTTP 503
      "
    `)
  })
})
