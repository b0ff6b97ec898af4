import {describe, expect, it, vi} from 'vitest'
import {LinesView} from '../../../src/report/run/lines.ts'
import type {RunEvent} from '../../../src/run/events.ts'
import {brokenRun, goodRun} from '../support/all-in-one.ts'
import {recorder} from '../support/recorder.ts'
import {showTo} from '../support/show.ts'
import {createSink} from '../support/sink.ts'

function linesOf(events: readonly RunEvent[], level: 0 | 1 = 0): string {
  const stream = createSink()
  const view = new LinesView({stream, level})
  events.forEach(showTo(view))
  return stream.text()
}

describe('a run as lines', () => {
  it('has one line per event, with the time and the release', () => {
    expect(linesOf(goodRun())).toMatchInlineSnapshot(`
      "00:00 run 20261120-120000 of all-in-one on kk-sandbox: 6 releases
      00:00 mariadb    installing
      00:00 rabbitmq   installing
      00:00 memcached  installing
      00:00 mariadb    helm upgrade --install
      00:00 rabbitmq   helm upgrade --install
      00:00 memcached  helm upgrade --install
      00:02 mariadb    gate: StatefulSet/mariadb: 0 of 1 replicas are ready; pod mariadb-0: Pending
      00:04 memcached  installed, revision 1, 4 s
      00:09 rabbitmq   installed, revision 1, 9 s
      00:12 mariadb    installed, revision 1, 12 s
      00:12 keystone   installing
      00:14 keystone   gate: Deployment/keystone-api: 0 of 1 replicas are available; pod keystone-api-6f7c9d-x2kqm, container init: PodInitializing
      00:31 keystone   installed, revision 1, 19 s
      00:31 glance     installing
      00:31 horizon    installing
      00:32 glance     helm upgrade --install
      00:34 horizon    gate: Deployment/horizon: 0 of 1 replicas are available; pod horizon-58c7b5-8wq4z: ContainerCreating
      00:43 horizon    installed, revision 1, 12 s
      00:47 glance     installed, revision 1, 16 s
      00:47 run succeeded after 47 s: 6 succeeded, 0 failed, 0 skipped, 0 unchanged
      "
    `)
  })

  it('reports every half minute the awaited releases and their causes', async () => {
    vi.useFakeTimers()
    const stream = createSink()
    const [started] = goodRun() as [RunEvent]
    const view = new LinesView({stream, level: 0, now: () => started.at + 2_000 + elapsed})
    const gate = goodRun().findIndex((event) => event.type === 'release-progressed' && event.phase === 'gate')
    let elapsed = 0
    goodRun()
      .slice(0, gate + 1)
      .forEach(showTo(view))
    const before = stream.text()

    for (; elapsed < 65_000; elapsed += 5_000) vi.advanceTimersByTime(5_000)
    const during = stream.text().slice(before.length)
    await view.close()
    vi.advanceTimersByTime(60_000)
    vi.useRealTimers()

    const lines = during.split('\n').filter((line) => line.includes('mariadb'))
    const still =
      'mariadb    still gate: StatefulSet/mariadb: 0 of 1 replicas are ready; pod mariadb-0: Pending'
    expect(lines).toEqual([`00:32 ${still}`, `01:02 ${still}`])
    expect(during).toContain('rabbitmq   still helm upgrade --install')
    expect(stream.text()).toBe(before + during)
  })

  it('prefixes every line of a log with its release', () => {
    expect(linesOf(brokenRun())).toMatchInlineSnapshot(`
      "00:00 run 20261120-120000 of all-in-one on kk-sandbox: 6 releases
      00:00 mariadb    installing
      00:00 rabbitmq   installing
      00:00 memcached  installing
      00:04 memcached  installed, revision 1, 4 s
      00:09 rabbitmq   installed, revision 1, 9 s
      00:12 mariadb    installed, revision 1, 12 s
      00:12 keystone   installing
      00:14 keystone   gate: Deployment/keystone-api: 0 of 1 replicas are available; pod keystone-api-6f7c9d-x2kqm, container keystone-api: CrashLoopBackOff
      00:40 keystone   failed after 28 s: KK_UNHEALTHY: openstack/keystone did not become healthy: Deployment/keystone-api: progress deadline exceeded; pod keystone-api-6f7c9d-x2kqm, container keystone-api: CrashLoopBackOff
      00:40 keystone   | Traceback (most recent call last):
      00:40 keystone   | OperationalError: (1045) Access denied for user keystone
      00:40 keystone   hint: look at the pod with "kubectl -n openstack logs keystone-api-6f7c9d-x2kqm", then deploy again
      00:40 glance     skipped because keystone failed
      00:40 horizon    skipped because keystone failed
      00:40 run failed after 40 s: 3 succeeded, 1 failed, 2 skipped, 0 unchanged
      "
    `)
  })

  it('reports unchanged, interrupted and skipped releases', () => {
    const run = recorder(
      {mariadb: [], keystone: ['mariadb'], glance: []},
      {mariadb: 'unchanged', glance: 'upgrade'},
    )

    const text = linesOf([
      run.begin(),
      run.succeed(0, 'mariadb'),
      run.start(1, 'keystone'),
      run.interrupt(61, ['keystone']),
      run.succeed(62, 'keystone'),
      run.skip(62, 'glance', undefined, 'interrupted'),
      run.finish(62, 'interrupted'),
    ])

    expect(text).toMatchInlineSnapshot(`
      "00:00 run 20261120-120000 of all-in-one on kk-sandbox: 3 releases
      00:00 mariadb   unchanged
      00:01 keystone  installing
      01:01 interrupted: nothing more is started; waiting for keystone to end (press Ctrl-C again to stop them)
      01:02 keystone  installed, revision 1, 1 m 01 s
      01:02 glance    skipped because the run was interrupted
      01:02 run interrupted after 1 m 02 s: 2 succeeded, 0 failed, 1 skipped, 1 unchanged
      "
    `)
  })

  it('colours at level 1 only', () => {
    expect(linesOf(goodRun(), 0)).not.toContain('\u001b')
    expect(linesOf(goodRun(), 1)).toContain('\u001b[32minstalled')
  })

  it('reports a warning after which the run continues on one line', () => {
    const [started] = goodRun() as [RunEvent]
    const warned: RunEvent = {type: 'run-warned', at: started.at, message: 'the journal cannot be\nwritten'}

    expect(linesOf([started, warned])).toContain('00:00 warning: the journal cannot be written\n')
  })

  it('has no timestamp before the start of the run', () => {
    const [started] = goodRun() as [RunEvent]
    const warned: RunEvent = {type: 'run-warned', at: started.at, message: 'nobody leads'}

    expect(linesOf([warned])).toBe('00:00 warning: nobody leads\n')
  })
})
