import {describe, expect, it} from 'vitest'
import {start} from './support/background.ts'
import {get, kubectl, waitFor} from './support/cluster.ts'
import {endings} from './support/events.ts'
import {job, type ObjectsCorner, objectsCorner, workload} from './support/objects-chart.ts'
import {helmRecords} from './support/records.ts'

const app = {objects: [workload('Deployment', 'app')], requires: ['mig']}
const hookOf = (event: string, pod: Readonly<Record<string, string>> = {}) =>
  job('hook', {pod, annotations: {'helm.sh/hook': event}})
const settings = (data: Readonly<Record<string, string>>) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {name: 'settings'},
  data,
})
/** Kinds with fields that cannot be changed once they exist. */
const STANDING = [
  job('plain'),
  workload('StatefulSet', 'db'),
  {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {name: 'data'},
    spec: {accessModes: ['ReadWriteOnce'], resources: {requests: {storage: '1Mi'}}},
  },
]
const LOST =
  /hooks of the install were not seen to complete in revision 1 \(Job\/hook\), and an upgrade does not run them: installed over what is there/

const deploy = (corner: ObjectsCorner) => corner.kk('deploy', '--yes', '--output', 'ndjson')

/** What status, history and plan report of the release with the hook. */
async function reportsOf(corner: ObjectsCorner) {
  const history = ['history', `${corner.name}/mig`, '-e', 'env.yaml', '--output', 'json']
  const [status, plan, revisions] = [
    await corner.kk('status', '--output', 'json'),
    await corner.kk('plan', '--output', 'json'),
    await corner.corner.kk(history, {env: corner.env}),
  ]
  const ofRelease = ({release}: {release: string}) => release === `${corner.name}/mig`
  const row = JSON.parse(status.stdout).releases.find(ofRelease)
  const {kind, reasons} = JSON.parse(plan.stdout).actions.find(ofRelease)
  return {
    exitCode: status.exitCode,
    status: row.status,
    advice: row.advice,
    gate: row.gate,
    history: JSON.parse(revisions.stdout).revisions[0].gate,
    plan: kind,
    reasons,
  }
}

/** The objects beside the hook, which outlive a failed install. */
async function uidsOf(corner: ObjectsCorner): Promise<readonly string[]> {
  const names = STANDING.map(({kind, metadata}) => `${kind}/${metadata.name}`)
  const {items} = await get<{items: readonly {metadata: {uid: string}}[]}>(
    ...names,
    '--namespace',
    corner.name,
  )
  return items.map(({metadata}) => metadata.uid)
}

async function conditionsOfHook(corner: ObjectsCorner): Promise<readonly string[]> {
  const {status} = await get<{status: {conditions?: readonly {type: string; status: string}[]}}>(
    'job',
    'hook',
    '--namespace',
    corner.name,
  )
  return (status.conditions ?? []).flatMap(({type, status: value}) => (value === 'True' ? [type] : []))
}

describe.concurrent.each(['helm3', 'helm4'] as const)('with %s', (helm) => {
  it('a failed install hook keeps its release unhealthy until the hook has completed', async () => {
    const release = (pod: Readonly<Record<string, string>>, data: Readonly<Record<string, string>>) => ({
      mig: {objects: [settings(data), ...STANDING, hookOf('post-install', pod)]},
      app,
    })
    const corner = await objectsCorner(release({fail: 'JobFailed'}, {first: '1', second: '2'}), helm)
    const first = await deploy(corner)
    const standing = await uidsOf(corner)

    const reports = await reportsOf(corner)
    const second = await deploy(corner)
    await corner.state(release({}, {first: '1'}))
    const third = await deploy(corner)

    expect([first.exitCode, second.exitCode]).toEqual([1, 1])
    expect(reports).toMatchObject({
      exitCode: 1,
      status: 'failed',
      advice: expect.stringMatching(LOST),
      gate: 'not-passed',
      history: 'not-passed',
      plan: 'install',
      reasons: [expect.stringMatching(LOST)],
    })
    expect(endings(second.stdout)).toEqual([
      'mig failed: KK_HELM_FAILED',
      expect.stringMatching(/^app skipped: mig/),
    ])
    expect(third.exitCode, third.stderr).toBe(0)
    expect(endings(third.stdout)).toEqual(['mig install, revision 3', 'app install, revision 1'])
    expect(await conditionsOfHook(corner)).toContain('Complete')
    expect(await uidsOf(corner)).toEqual(standing)
    const {data} = await get<{data: object}>('configmap', 'settings', '--namespace', corner.name)
    expect(data).toEqual({first: '1'})
    expect(await reportsOf(corner)).toMatchObject({
      exitCode: 0,
      status: 'deployed',
      gate: 'passed',
      history: 'passed',
      plan: 'unchanged',
    })
  })

  it('an install hook that is deleted while it runs is created again by the next deploy', async () => {
    const release = (time: string) => ({
      mig: {objects: [settings({}), hookOf('post-install', {'complete-after': time})]},
      app,
    })
    const corner = await objectsCorner(release('10m'), helm)
    const at = ['--namespace', corner.name]
    const deploying = start(corner.corner, ['deploy', 'env.yaml', '--yes'], {env: corner.env})
    await waitFor(() => kubectl(['get', 'job', 'hook', ...at]).catch(() => undefined), {
      until: 'the hook exists',
    })
    await kubectl(['delete', 'job', 'hook', ...at])
    const first = await deploying.ended()

    const reports = await reportsOf(corner)
    await corner.state(release('1s'))
    const again = await deploy(corner)

    expect(first.exitCode).toBe(1)
    expect(first.stdout).toContain('run the same command again: helm creates its hooks again')
    expect(reports).toMatchObject({status: 'failed', plan: 'install', reasons: [expect.stringMatching(LOST)]})
    expect(again.exitCode, again.stderr).toBe(0)
    expect(endings(again.stdout)).toEqual(['mig install, revision 2', 'app install, revision 1'])
    expect(await conditionsOfHook(corner)).toContain('Complete')
    expect((await helmRecords(corner.name)).map(({status}) => status)).toContain('failed')
  })

  it('a failed upgrade hook is run again by the upgrade of the next deploy', async () => {
    const release = (pod: Readonly<Record<string, string>>, value: string) => ({
      mig: {objects: [settings({value}), hookOf('post-upgrade', pod)]},
    })
    const corner = await objectsCorner(release({}, '1'), helm)
    const installed = await deploy(corner)
    await corner.state(release({fail: 'JobFailed'}, '2'))
    const failed = await deploy(corner)

    const reports = await reportsOf(corner)
    await corner.state(release({}, '2'))
    const again = await deploy(corner)

    expect([installed.exitCode, failed.exitCode, again.exitCode], again.stderr).toEqual([0, 1, 0])
    expect(reports).toMatchObject({
      exitCode: 1,
      status: 'failed',
      gate: 'not-passed',
      history: 'not-passed',
      plan: 'upgrade',
    })
    expect(endings(again.stdout)).toEqual(['mig upgrade, revision 3'])
    expect(await conditionsOfHook(corner)).toContain('Complete')
  })
})
