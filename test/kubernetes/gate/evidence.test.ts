import {describe, expect, it} from 'vitest'
import {gatherEvidence} from '../../../src/kubernetes/gate/evidence.ts'
import type {Cause} from '../../../src/kubernetes/gate/health.ts'
import {type Answer, json, refuse, scriptedServer} from '../support/api-server.ts'

const crashing: Cause = {
  object: 'Deployment/api',
  namespace: 'openstack',
  message: '0 of 1 replicas are available',
  pod: 'api-1',
  container: 'api',
  reason: 'CrashLoopBackOff',
  detail: 'back-off 10s',
}
const unready: Cause = {...crashing, reason: 'ContainersNotReady', detail: 'it is running but not ready'}

const log =
  (lines: Readonly<Record<string, string>>): Answer =>
  ({path, query}, response) => {
    const text = path.endsWith('/log') ? lines[query.get('previous') ? 'previous' : 'current'] : undefined
    if (text === undefined) refuse(response, 404, 'not found')
    else response.end(text)
  }

async function evidence(answer: Answer, redact = (text: string) => text) {
  const {client, asked} = await scriptedServer(answer)
  return {...gatherEvidence(client, 'openstack', redact), asked}
}

describe('the evidence for a cause', () => {
  it('are the last lines of the run that crashed', async () => {
    const {explain, asked} = await evidence(log({previous: 'starting\n\nno database\n', current: ''}))

    await expect(explain([crashing])).resolves.toEqual([{...crashing, log: ['starting', 'no database']}])
    expect(asked[0]?.query.get('tailLines')).toBe('300')
  })

  it('are the lines of the current run when there is no previous run', async () => {
    const {explain} = await evidence(log({current: 'first run'}))

    await expect(explain([crashing])).resolves.toMatchObject([{log: ['first run']}])
  })

  it('are the lines of the current run when the kubelet has removed the previous container', async () => {
    const removed = 'unable to retrieve container logs for containerd://158d7ecf'
    const {explain} = await evidence(log({previous: removed, current: 'Access denied'}))

    await expect(explain([crashing])).resolves.toMatchObject([{log: ['Access denied']}])
  })

  it('omit the repeated lines of a failing probe', async () => {
    const probes = Array.from(
      {length: 99},
      (_, at) => `[pid: 17] GET /healthcheck => 500 in ${at} ms\n--- no app\n`,
    )
    const {explain} = await evidence(
      log({current: `Traceback:\n  line 12\nImportError: nonsense\n${probes.join('')}`}),
    )

    await expect(explain([unready])).resolves.toMatchObject([
      {
        log: [
          ...['Traceback:', '  line 12', 'ImportError: nonsense'],
          ...['[pid: 17] GET /healthcheck => 500 in 98 ms', '--- no app'],
        ],
      },
    ])
  })

  it('are the last twenty', async () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz']
    const {explain} = await evidence(log({current: letters.join('\n')}))

    await expect(explain([unready])).resolves.toMatchObject([{log: letters.slice(-20)}])
  })

  it('are read again with a lower limit when the lines are too long', async () => {
    const {explain, asked} = await evidence(({path, query}, response) =>
      response.end(
        path.endsWith('/log') ? (query.get('tailLines') === '20' ? 'the end' : 'x'.repeat(131_072)) : '',
      ),
    )

    await expect(explain([{...unready, reason: 'Error'}])).resolves.toMatchObject([{log: ['the end']}])
    expect(asked.map(({query}) => query.get('tailLines'))).toEqual(['300', '20'])
  })

  it('are masked', async () => {
    const {explain} = await evidence(log({previous: 'password is hunter2'}), (text) =>
      text.replaceAll('hunter2', '***'),
    )

    await expect(explain([crashing])).resolves.toMatchObject([{log: ['password is ***']}])
  })

  it('are empty when the API server does not return them', async () => {
    const {explain} = await evidence((_, response) => refuse(response, 403, 'no'))

    await expect(explain([crashing])).resolves.toEqual([crashing])
  })

  it('are the lines that were recorded while the pod existed', async () => {
    let isGone = false
    const {note, explain, asked} = await evidence((one, response) =>
      isGone ? refuse(response, 404, 'gone') : log({previous: 'no database'})(one, response),
    )
    const failed: Cause = {object: 'Deployment/api', namespace: 'openstack', message: 'it failed'}
    note([crashing])
    await expect.poll(() => asked.length).toBe(1)
    await explain([crashing])
    isGone = true

    const [cause] = await explain([failed])

    expect(cause).toEqual({...crashing, message: 'it failed', log: ['no database']})
  })

  it('begins with containers that have ended, even if they are running again', async () => {
    const {note, explain} = await evidence(log({previous: 'Access denied', current: 'waiting'}))
    const waiting: Cause = {...crashing, container: 'dependencies', reason: 'PodInitializing'}
    const job: Cause = {object: 'Job/db-create', namespace: 'openstack', message: '0 of 1 completions'}
    note([waiting, {...job, pod: 'db-create-1', container: 'main', reason: 'CrashLoopBackOff'}])

    const explained = await explain([waiting, job])

    expect(explained).toMatchObject([
      {object: 'Job/db-create', pod: 'db-create-1', log: ['Access denied']},
      {object: 'Deployment/api', log: ['waiting']},
    ])
  })

  it('is the latest warning when the reason is unspecific', async () => {
    const event = (reason: string, message: string, lastTimestamp: string) => ({
      reason,
      message,
      lastTimestamp,
      metadata: {},
    })
    const items = [
      event('Unhealthy', 'Readiness probe failed: statuscode: 503', '2026-01-01T00:00:02Z'),
      event('Pulled', 'older', '2026-01-01T00:00:01Z'),
    ]
    const {explain, asked} = await evidence(({path}, response) =>
      path.endsWith('/events') ? json(response, {metadata: {}, items}) : response.end(''),
    )

    await expect(explain([unready])).resolves.toMatchObject([
      {reason: 'Unhealthy', detail: 'Readiness probe failed: statuscode: 503'},
    ])
    const events = asked.find(({path}) => path.endsWith('/events'))
    expect(events?.query.get('fieldSelector')).toBe(
      'involvedObject.kind=Pod,involvedObject.name=api-1,type=Warning',
    )
  })

  it('is not read from a container that never ran', async () => {
    const {explain, asked} = await evidence((_, response) => refuse(response, 404, 'none'))

    await explain([{...crashing, reason: 'ImagePullBackOff'}])

    expect(asked).toEqual([])
  })
})
