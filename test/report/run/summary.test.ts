import {describe, expect, it} from 'vitest'
import type {PassedHealth} from '../../../src/kubernetes/gate/health.ts'
import {palette} from '../../../src/report/colour.ts'
import {summaryText} from '../../../src/report/run/summary.ts'
import {viewText} from '../../../src/report/text/view.ts'
import type {RunEvent} from '../../../src/run/events.ts'
import {NO_RUN, nextState} from '../../../src/run/run-state.ts'
import {brokenRun, expecting, goodRun} from '../support/all-in-one.ts'
import {recorder} from '../support/recorder.ts'

const commands = {retryCommand: 'kk deploy all-in-one.yaml', status: 'kk status all-in-one.yaml'}

function summaryOf(events: readonly RunEvent[]): string {
  return viewText(summaryText(events.reduce(nextState, NO_RUN), {palette: palette(0), commands}))
}

describe('the end of a run', () => {
  it('reports completed actions', () => {
    expect(summaryOf(goodRun())).toMatchInlineSnapshot(`
      "WHERE THE TIME WENT  TIME  HELM  IMAGES, VOLUMES  JOBS  PODS
      keystone             19 s  -     17 s             -     -
      glance               16 s  15 s  -                -     -
      mariadb              12 s  1 s   -                -     10 s
      horizon              12 s  -     9 s              -     -
      rabbitmq             9 s   8 s   -                -     -
      memcached            4 s   3 s   -                -     -
      longest path: mariadb (12 s) → keystone (19 s) → glance (16 s)

      done in 47 s: 6 installed
      next: kk status all-in-one.yaml
      "
    `)
  })

  it('says what took notably longer than in earlier runs, and shows what was expected', () => {
    const events = expecting(goodRun(), {
      keystone: {seconds: 6, runs: 2},
      glance: {seconds: 3, runs: 0},
      mariadb: {seconds: 11, runs: 1},
    })

    const summary = summaryOf(events)

    expect(summary).toMatch(/WHERE THE TIME WENT +TIME +EXPECTED +HELM/)
    expect(summary).toMatch(/keystone +19 s +6 s /)
    expect(summary).toMatch(/glance +16 s +about 3 s /)
    expect(summary).toMatch(/horizon +12 s +- /)
    expect(summary.match(/.* were expected .*/g)).toEqual([
      'keystone: took 19 s, where 6 s were expected after 2 earlier runs',
    ])
  })

  it('names releases that passed their gate and still have objects of an older version', () => {
    const run = recorder({db: [], api: []}, {api: 'await'})
    const nowhere = {
      object: 'DaemonSet/agent',
      message: 'no node matches it, so it has no pods',
      reason: 'NoNodes',
    }
    const old = {
      object: 'StatefulSet/db',
      message: '0 of 2 pods are of its current version (OnDelete)',
      reason: 'OnDelete',
    }
    const partial = {state: 'partial', notes: [nowhere, old]} as const
    const noted = {state: 'healthy', notes: [nowhere]} as const
    const passed = (name: string, health: PassedHealth) => ({...run.succeed(2, name), health}) as RunEvent

    const said = (health: PassedHealth) =>
      summaryOf([
        run.begin(),
        run.start(0, 'db'),
        passed('db', noted),
        run.start(1, 'api'),
        passed('api', health),
        run.finish(3, 'succeeded'),
      ])

    expect(said(partial)).toContain(
      'db: DaemonSet/agent: no node matches it, so it has no pods\n' +
        'api: DaemonSet/agent: no node matches it, so it has no pods\n' +
        'api: partial: StatefulSet/db: 0 of 2 pods are of its current version (OnDelete)\n',
    )
    expect(said(partial)).toContain('1 installed, 1 partial')
    expect(said({state: 'healthy'})).toContain('1 installed, 1 healthy')
  })

  it('names each node that is left behind once, with the DaemonSets of all releases', () => {
    const run = recorder({db: [], api: []})
    const left = (object: string, isCurrent: boolean): PassedHealth => {
      const away = {node: 'compute-7', reason: 'NotReady', since: '2026-11-29T09:00:00Z'} as const
      const leftBehind = [{...away, pod: 'agent-x', revision: '5c8f7d', isCurrent}]
      const note = {object, message: 'node compute-7 is left behind', reason: 'NodesLeftBehind', leftBehind}
      return {state: 'partial', notes: [note]}
    }
    const passed = (name: string, health: PassedHealth) => ({...run.succeed(2, name), health}) as RunEvent

    const text = summaryOf([
      run.begin(),
      run.start(0, 'db'),
      passed('db', left('DaemonSet/agent', false)),
      run.start(1, 'api'),
      passed('api', left('DaemonSet/proxy', true)),
      run.finish(3, 'succeeded'),
    ])

    expect(text).toContain('db: partial: DaemonSet/agent: node compute-7 is left behind\n')
    expect(text).toContain(
      'node compute-7 is left behind, NotReady since 2026-11-29T09:00:00Z: ' +
        'db (DaemonSet/agent, old version, revision 5c8f7d), api (DaemonSet/proxy, current version, not ready)\n',
    )
  })

  it('counts the tests of a pod by their results', () => {
    const run = recorder({keystone: []})
    const tests = (['passed', 'passed', 'skipped'] as const).map((outcome) => ({name: 'lists', outcome}))
    const tested = {type: 'release-tested', at: 0, release: 'openstack/keystone', tests} as const

    expect(summaryOf([run.begin(), run.start(0, 'keystone'), tested])).toContain(
      'keystone: 2 tests passed, 0 failed, 1 skipped\n',
    )
  })

  it('lists the failed tests with their messages', () => {
    const run = recorder({keystone: []})
    const tests = [
      {name: 'token', outcome: 'passed'},
      {name: 'server', outcome: 'failed', text: 'it has no address'},
    ] as const
    const tested = {type: 'release-tested', at: 0, release: 'openstack/keystone', tests} as const

    expect(summaryOf([run.begin(), run.start(0, 'keystone'), tested])).toContain(
      'keystone: 1 test passed, 1 failed, 0 skipped\n  not ok server: it has no address\n',
    )
  })

  it('repeats each failure in full, with the releases skipped because of it', () => {
    expect(summaryOf(brokenRun())).toMatchInlineSnapshot(`
      "✖ keystone failed after 28 s
        error KK_UNHEALTHY: openstack/keystone did not become healthy: Deployment/keystone-api: progress deadline exceeded; pod keystone-api-6f7c9d-x2kqm, container keystone-api: CrashLoopBackOff
        | Traceback (most recent call last):
        | OperationalError: (1045) Access denied for user keystone
        hint: look at the pod with "kubectl -n openstack logs keystone-api-6f7c9d-x2kqm", then deploy again

      - glance, horizon skipped because keystone failed

      failed after 40 s: 3 installed, 1 failed, 2 skipped
      next: kk deploy all-in-one.yaml   continues with the rest
      "
    `)
  })

  it('describes in words those flags of the next command that contain values', () => {
    const withFlags = {...commands, sameFlags: 'with the same --set'}

    expect(
      viewText(
        summaryText(brokenRun().reduce(nextState, NO_RUN), {palette: palette(0), commands: withFlags}),
      ),
    ).toContain('next: kk deploy all-in-one.yaml   with the same --set; continues with the rest\n')
  })

  it('names the last pod that its gate reported, with its log, if the error does not', () => {
    const run = recorder({keystone: []})

    const text = summaryOf([
      run.begin(),
      run.start(0, 'keystone'),
      run.progress(1, 'keystone', 'gate', '', [
        {
          object: 'Job/keystone-db-sync',
          message: 'failed',
          pod: 'keystone-db-sync-x7',
          container: 'db-sync',
          reason: 'Error',
          log: ['no such table'],
        },
      ]),
      run.fail(9, 'keystone', {code: 'KK_HELM_FAILED', message: 'helm failed', log: ['Error: post-install']}),
      run.finish(9, 'failed'),
    ])

    expect(text).toMatchInlineSnapshot(`
      "✖ keystone failed after 9 s
        error KK_HELM_FAILED: helm failed
        cause: Job/keystone-db-sync: failed; pod keystone-db-sync-x7, container db-sync: Error
        | Error: post-install
        | no such table

      failed after 9 s: 1 failed
      next: kk deploy all-in-one.yaml   continues with the rest
      "
    `)
  })

  it('reports an interruption, and the command that continues', () => {
    const run = recorder({mariadb: [], keystone: ['mariadb']})

    const text = summaryOf([
      run.begin(),
      run.start(0, 'mariadb'),
      run.interrupt(2, ['mariadb']),
      run.succeed(5, 'mariadb'),
      run.skip(5, 'keystone', undefined, 'interrupted'),
      run.finish(5, 'interrupted'),
    ])

    expect(text).toMatchInlineSnapshot(`
      "- keystone skipped because the run was interrupted

      interrupted after 5 s: 1 installed, 1 skipped
      next: kk deploy all-in-one.yaml   continues with the rest
      "
    `)
  })

  it('names the releases that were running when the events were interrupted', () => {
    const run = recorder({mariadb: [], keystone: ['mariadb']})

    expect(summaryOf([run.begin(), run.start(0, 'mariadb')])).toMatchInlineSnapshot(`
      "! not known to have ended: mariadb
      broken off: 1 not known to have ended, 1 not started
      next: kk deploy all-in-one.yaml   continues with the rest
      "
    `)
  })

  it('counts unchanged releases', () => {
    const run = recorder({mariadb: [], keystone: ['mariadb']}, {mariadb: 'unchanged', keystone: 'unchanged'})

    expect(summaryOf([run.begin(), run.finish(0, 'succeeded')])).toMatchInlineSnapshot(`
      "done in < 1 s: 2 unchanged
      next: kk status all-in-one.yaml
      "
    `)
  })
})
