import {describe, expect, it} from 'vitest'
import {kubectl, waitFor} from './support/cluster.ts'
import {eventsIn} from './support/events.ts'
import {objectsCorner, workload} from './support/objects-chart.ts'
import {deploy, releaseOutcomes, reportedState} from './support/reported-state.ts'

const app = workload('Deployment', 'app')

/**
 * Gives a pod of a release the status of one that was started for the last time just now, though it is ready.
 */
async function restarted(namespace: string, pod: string, restartCount: number) {
  const at = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString()
  const terminated = {
    ...{exitCode: 1, reason: 'Error', message: 'sudo: a password is required'},
    ...{startedAt: at(60), finishedAt: at(1)},
  }
  const container = {name: 'main', image: 'registry.example.org/x:1', imageID: '', ready: true, started: true}
  const containerStatuses = [
    {...container, restartCount, state: {running: {startedAt: at(0)}}, lastState: {terminated}},
  ]
  await kubectl([
    ...['patch', 'pod', pod, '--namespace', namespace, '--subresource', 'status'],
    ...['--type', 'merge', '--patch', JSON.stringify({status: {containerStatuses}})],
  ])
}

describe.concurrent('a ready pod', () => {
  it('is not healthy while it restarts, and its dependents are not deployed', async () => {
    const db = {objects: [workload('StatefulSet', 'db')], timeout: '5s'}
    const corner = await objectsCorner({db, app: {objects: [app], requires: ['db']}})
    const first = await deploy(corner)
    await restarted(corner.name, 'db-0', 4)
    const changed = workload('Deployment', 'app', {image: 'registry.example.org/x:2'})
    await corner.state({db, app: {objects: [changed], requires: ['db']}})

    const status = await corner.kk('status')
    const {exitCode, stdout} = await deploy(corner)

    expect(first.exitCode, first.stderr).toBe(0)
    expect(status.exitCode).toBe(1)
    expect(status.stdout).toMatch(
      /restarting \(4 times in .*, last: exit 1, 'sudo: a password is required'\)/,
    )
    expect(exitCode).toBe(1)
    expect(releaseOutcomes(stdout)).toEqual({db: 'failed', app: 'skipped'})
  })

  it('is healthy with a note after one restart some time ago', async () => {
    const corner = await objectsCorner({app: {objects: [workload('StatefulSet', 'app')]}})
    await deploy(corner)
    await restarted(corner.name, 'app-0', 1)

    const status = await corner.kk('status')

    expect(status.stdout).toContain('restarting (once in')
    await waitFor(async () => (await corner.kk('status')).exitCode === 0, {
      until: 'it has been up for longer than its first 30 s',
      seconds: 60,
    })
    expect((await reportedState(corner, 'app')).health).toMatchObject({
      state: 'healthy',
      notes: [{object: 'StatefulSet/app', pod: 'app-0', container: 'main', reason: 'Restarted'}],
    })
  })

  it('lets its release pass after it has run longer than its startup may take to fail', async () => {
    const metadata = {labels: {app: 'db'}, annotations: {'kk.openstack.org/stable-after': '8s'}}
    const template = {metadata, spec: {containers: [{name: 'main', image: 'registry.example.org/x:1'}]}}
    const db = {objects: [workload('StatefulSet', 'db', {spec: {template}})]}
    const corner = await objectsCorner({
      db,
      app: {objects: [app], requires: ['db']},
      web: {objects: [workload('Deployment', 'web')]},
    })

    const {exitCode, stdout, stderr} = await deploy(corner)

    expect(exitCode, stderr).toBe(0)
    expect(stdout).toMatch(/it started at \d\d:\d\d:\d\d, and may fail until \d\d:\d\d:\d\d UTC/)
    const ended = eventsIn(stdout).flatMap((event) =>
      event.type === 'release-succeeded' ? [event.release.split('/')[1]!] : [],
    )
    expect(ended).toEqual(['web', 'db', 'app'])
  })
})
