import {describe, expect, it} from 'vitest'
import type {RunEvent} from '../../src/run/events.ts'
import {start} from './support/background.ts'
import {kubectl, uniqueName} from './support/cluster.ts'
import {openCorner, TWO} from './support/corner.ts'
import {endings, eventsIn} from './support/events.ts'
import {ENDLESS_IMAGE, podOfRun} from './support/job-pod.ts'
import {recordedHelm} from './support/recorded-helm.ts'
import {revisions} from './support/records.ts'

/** Of the journal: the first release has ended, the second has not begun. */
const BETWEEN = 6

const isStart = (event: RunEvent) => event.type === 'run-started'

/**
 * A corner with two releases, and a namespace for Jobs in which no pod may have more rights than it needs.
 */
async function opened() {
  const corner = await openCorner(TWO)
  const jobs = uniqueName('jobs')
  const metadata = {name: jobs, labels: {'pod-security.kubernetes.io/enforce': 'restricted'}}
  await kubectl(['create', '--filename', '-'], {input: {apiVersion: 'v1', kind: 'Namespace', metadata}})
  const helm = await recordedHelm(corner.directory, 'helm4')
  return {corner, jobs, helm, env: {KK_HELM: helm.path}}
}

type Opened = Awaited<ReturnType<typeof opened>>

/** `kk deploy --in-cluster`, and its run's id once it is followed. */
async function begun({corner, jobs}: Opened) {
  const job = ['--in-cluster', '--image', ENDLESS_IMAGE, '--job-namespace', jobs]
  const follower = start(corner, ['deploy', 'env.yaml', ...job])
  const event = (await follower.saw(isStart, 'the Job is there')) as Extract<RunEvent, {type: 'run-started'}>
  return {follower, run: event.run}
}

describe.concurrent('a run in the cluster', () => {
  it('continues in its next pod after a pod was killed, while its log is followed across both pods', async () => {
    const place = await opened()
    const {corner, jobs, helm, env} = place
    const {follower, run} = await begun(place)
    const pod = await podOfRun(run, jobs)

    follower.signal('SIGINT')
    const left = await follower.ended()
    const next = start(corner, ['run', 'follow', run, '--job-namespace', jobs])
    const killed = await pod.run(env, BETWEEN)
    const second = await pod.run(env)
    const seen = await next.ended()

    expect(left.exitCode, left.stderr).toBe(130)
    expect(left.stderr).toContain(`to follow it again: kk run follow ${run} --job-namespace ${jobs}`)
    expect(killed.signal).toBe('SIGKILL')
    expect(second.exitCode, second.stderr).toBe(0)
    expect(seen.exitCode, seen.stderr).toBe(0)
    expect(endings(seen.stdout)).toEqual(['db install, revision 1', 'api install, revision 1'])
    expect(eventsIn(seen.stdout).at(-1)).toMatchObject({outcome: 'succeeded', succeeded: 2, unchanged: 0})
    expect(await revisions(corner.name)).toEqual({db: 1, api: 1})
    const changes = (await helm.calls()).filter((call) => /install|upgrade/.test(call))
    expect(changes).toHaveLength(2)
  })
})
