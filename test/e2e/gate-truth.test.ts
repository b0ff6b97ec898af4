import {describe, expect, it} from 'vitest'
import {start} from './support/background.ts'
import {get, kubectl, waitFor} from './support/cluster.ts'
import {eventsIn} from './support/events.ts'
import {job, objectsCorner, workload} from './support/objects-chart.ts'
import {helmRecords} from './support/records.ts'
import {deploy, releaseOutcomes, reportedState} from './support/reported-state.ts'

const POST_INSTALL = {'helm.sh/hook': 'post-install,post-upgrade'}
const app = workload('Deployment', 'app')

describe.concurrent.each(['helm3', 'helm4'] as const)('with %s', (helm) => {
  it('a failed Job that was deleted fails its release, and status, history and plan agree', async () => {
    const ttl = {ttlSecondsAfterFinished: 1}
    const corner = await objectsCorner(
      {
        mig: {
          objects: [
            job('mig', {pod: {fail: 'JobFailed'}, spec: ttl}),
            job('late', {pod: {'complete-after': '8s'}, annotations: POST_INSTALL}),
          ],
        },
        app: {objects: [app], requires: ['mig']},
      },
      helm,
    )

    const {exitCode, stdout, stderr} = await deploy(corner)

    expect(exitCode, stderr).toBe(1)
    expect(releaseOutcomes(stdout)).toEqual({mig: 'failed', app: 'skipped'})
    expect(stdout).toMatch(/it cannot become healthy: .*Job\/mig: it failed: BackoffLimitExceeded/)
    expect(await get('jobs', '--namespace', corner.name)).not.toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({metadata: expect.objectContaining({name: 'mig'})}),
      ]),
    })
    expect(await reportedState(corner, 'mig')).toMatchObject({
      exitCode: 1,
      health: {state: 'unknown', blames: [{object: 'Job/mig', reason: 'NotSeenToComplete'}]},
      gate: 'not-passed',
      history: 'not-passed',
      plan: 'upgrade',
    })
  })

  it('a completed Job that was deleted lets its release pass, also when a requirement changes later', async () => {
    const mig = {
      objects: [
        job('mig', {spec: {ttlSecondsAfterFinished: 1}}),
        job('late', {pod: {'complete-after': '4s'}, annotations: POST_INSTALL}),
      ],
    }
    const corner = await objectsCorner({mig, app: {objects: [app], requires: ['mig']}}, helm)
    const first = await deploy(corner)
    const changed = workload('Deployment', 'app', {image: 'registry.example.org/x:2'})
    await corner.state({mig, app: {objects: [changed], requires: ['mig']}})

    const {exitCode, stdout} = await deploy(corner)

    expect([first.exitCode, exitCode], first.stderr).toEqual([0, 0])
    expect(eventsIn(stdout).filter(({type}) => type === 'release-succeeded')).toMatchObject([
      {release: `${corner.name}/mig`, kind: 'check', revision: 1},
      {release: `${corner.name}/app`, kind: 'upgrade', revision: 2},
    ])
    expect(await reportedState(corner, 'mig')).toMatchObject({
      exitCode: 0,
      health: {state: 'healthy'},
      gate: 'passed',
      history: 'passed',
      plan: 'unchanged',
    })
  })

  it('a hook that another user deletes fails its release, and is run again by the next deploy', async () => {
    const releases = (pod: Record<string, string>) => ({
      mig: {objects: [job('hook', {pod, annotations: POST_INSTALL})]},
      app: {objects: [app], requires: ['mig']},
    })
    const corner = await objectsCorner(releases({'complete-after': '10m'}), helm)
    const deploying = start(corner.corner, ['deploy', 'env.yaml', '--yes'], {env: corner.env})
    const at = ['--namespace', corner.name]
    await waitFor(() => kubectl(['get', 'job', 'hook', ...at]).catch(() => undefined), {
      until: 'the hook exists',
    })

    await kubectl(['delete', 'job', 'hook', ...at])

    const {exitCode, stdout, stderr} = await deploying.ended()
    expect(exitCode, stderr).toBe(1)
    expect(releaseOutcomes(stdout)).toEqual({mig: 'failed', app: 'skipped'})
    expect(stdout).toContain('Job/hook: it was deleted before it had completed')
    expect(await helmRecords(corner.name)).toMatchObject([{status: 'failed'}])

    await corner.state(releases({'complete-after': '1s'}))
    const again = await deploy(corner)

    expect(again.exitCode, again.stderr).toBe(0)
    expect(releaseOutcomes(again.stdout)).toEqual({mig: 'succeeded', app: 'succeeded'})
  })
})

it('an unmarked revision whose Job was deleted does not count as done in the next run', async () => {
  const objects = [
    job('mig', {spec: {ttlSecondsAfterFinished: 0}}),
    workload('Deployment', 'web', {pod: {'ready-after': '10s'}}),
  ]
  const corner = await objectsCorner({mig: {objects, timeout: '5s'}})
  const first = await deploy(corner)
  const at = ['--namespace', corner.name]
  await kubectl(['wait', 'deployment/web', '--for=condition=Available', '--timeout=60s', ...at])
  const said = await reportedState(corner, 'mig')
  await corner.state({mig: {objects, timeout: '2m'}})

  const again = await deploy(corner)

  expect(first.exitCode).toBe(1)
  expect(said).toMatchObject({health: {state: 'unknown'}, history: 'not-passed', plan: 'upgrade'})
  expect(again.exitCode, again.stderr).toBe(0)
  expect(await reportedState(corner, 'mig')).toMatchObject({health: {state: 'healthy'}, plan: 'unchanged'})
})

it('a revision whose gate has not passed is not healthy, even if its objects are healthy by now', async () => {
  const web = workload('Deployment', 'web', {pod: {'ready-after': '8s'}})
  const corner = await objectsCorner({web: {objects: [web], timeout: '3s'}})
  const {exitCode} = await deploy(corner)
  await kubectl([
    'wait',
    'deployment/web',
    '--for=condition=Available',
    '--timeout=60s',
    '--namespace',
    corner.name,
  ])

  const status = await corner.kk('status')

  expect(exitCode).toBe(1)
  expect(status.stdout).toMatch(/^web +1 +deployed +waiting/m)
  expect(status.stdout).toContain('web: revision 1: has not passed its gate')
  expect(await reportedState(corner, 'web')).toMatchObject({
    exitCode: 1,
    health: {state: 'waiting'},
    gate: 'not-passed',
    history: 'not-passed',
    plan: 'await',
  })
})

describe.concurrent('a workload that a user scaled to 0', () => {
  it.each([
    ['where its chart states replicas', {replicas: 1}, 'and its chart states 1'],
    ['where its chart states none', {}, 'and its chart states no number, which means 1'],
  ])('is not healthy, and its dependents are not deployed: %s', async (_, spec, why) => {
    const db = {objects: [workload('StatefulSet', 'db', {spec})]}
    const corner = await objectsCorner({db, app: {objects: [app], requires: ['db']}})
    const first = await deploy(corner)
    await kubectl(['scale', 'statefulset', 'db', '--replicas=0', '--namespace', corner.name])
    const unchanged = await corner.kk('plan')
    const changed = workload('Deployment', 'app', {image: 'registry.example.org/x:2'})
    await corner.state({db, app: {objects: [changed], requires: ['db']}})

    const status = await corner.kk('status')
    const plan = await corner.kk('plan')
    const {exitCode, stdout} = await deploy(corner)

    expect(first.exitCode, first.stderr).toBe(0)
    expect(status.exitCode).toBe(1)
    expect(status.stdout).toMatch(/^db +1 +deployed +failed/m)
    expect(unchanged.stdout).toContain(
      `db: StatefulSet/db: it is scaled to 0, ${why}; this plan does not change that`,
    )
    expect(plan.stdout).toContain(`StatefulSet/db: it is scaled to 0, ${why}`)
    expect(exitCode).toBe(1)
    expect(releaseOutcomes(stdout)).toEqual({db: 'failed', app: 'skipped'})
  })

  it('is healthy if an autoscaler manages it, or if its chart states 0', async () => {
    const hpa = {
      apiVersion: 'autoscaling/v2',
      kind: 'HorizontalPodAutoscaler',
      metadata: {name: 'web'},
      spec: {
        scaleTargetRef: {apiVersion: 'apps/v1', kind: 'Deployment', name: 'web'},
        minReplicas: 1,
        maxReplicas: 5,
      },
    }
    const web = workload('Deployment', 'web', {spec: {replicas: 3}})
    const none = workload('Deployment', 'none', {spec: {replicas: 0}})
    const corner = await objectsCorner({web: {objects: [web, none, hpa]}})
    const {exitCode, stderr} = await deploy(corner)

    const scale = (replicas: number) =>
      kubectl(['scale', 'deployment', 'web', `--replicas=${replicas}`, '--namespace', corner.name])

    await scale(1)

    expect(exitCode, stderr).toBe(0)
    await waitFor(async () => (await corner.kk('status')).exitCode === 0, {until: 'the release is healthy'})

    await scale(0)
    const {stdout} = await corner.kk('status')
    const drift = await corner.kk('drift')
    const corrected = await corner.kk('deploy', '--yes', '--correct-drift')

    expect(stdout).toContain(
      'Deployment/web: it is scaled to 0, from which its HorizontalPodAutoscaler does not scale it up',
    )
    expect(drift.stdout).toContain('spec.replicas')
    expect(corrected.exitCode, corrected.stderr).toBe(0)
    expect(await get('deployment', 'web', '--namespace', corner.name)).toMatchObject({spec: {replicas: 3}})
  })
})

it.each(['StatefulSet', 'DaemonSet'])(
  'a %s with OnDelete is partial while its pods are of the previous revision',
  async (kind) => {
    const set = (image: string) => workload(kind, 'set', {image, spec: {updateStrategy: {type: 'OnDelete'}}})
    const corner = await objectsCorner({set: {objects: [set('registry.example.org/x:1')]}})
    const first = await deploy(corner)
    const before = await reportedState(corner, 'set')
    await corner.state({set: {objects: [set('registry.example.org/x:2')]}})

    const {exitCode, stderr} = await corner.kk('deploy', '--yes')

    const message = new RegExp(`${kind}/set: 0 of \\d pods are of its current version \\(OnDelete\\)`)
    expect([first.exitCode, exitCode], stderr).toEqual([0, 0])
    expect(before.health).toEqual({state: 'healthy'})
    expect(stderr).toMatch(new RegExp(`set: partial: ${message.source}`))
    const status = await corner.kk('status')
    expect(status.exitCode).toBe(0)
    expect(status.stdout).toMatch(/^set +2 +deployed +partial/m)
    expect(status.stdout).toMatch(message)
    expect(await reportedState(corner, 'set')).toMatchObject({
      health: {state: 'partial'},
      gate: 'passed',
      plan: 'unchanged',
    })
  },
)

it('a workload that its chart pauses or suspends passes with a note', async () => {
  const objects = [
    workload('Deployment', 'paused', {spec: {paused: true}}),
    job('suspended', {spec: {suspend: true}}),
  ]
  const corner = await objectsCorner({held: {objects}, app: {objects: [app], requires: ['held']}})

  const {exitCode, stderr} = await corner.kk('deploy', '--yes')

  expect(exitCode, stderr).toBe(0)
  expect(stderr).toContain(
    'held: partial: Deployment/paused: it is paused, as its chart states: 0 of 1 replicas are of its current version',
  )
  expect(stderr).toContain('held: partial: Job/suspended: it is suspended, as its chart states')
})

it('a DaemonSet without a matching node and a load balancer without an address pass with a note', async () => {
  const set = workload('DaemonSet', 'nowhere')
  const {template} = set['spec'] as {template: {spec: object}}
  const objects = [
    {
      ...set,
      spec: {
        ...(set['spec'] as object),
        template: {...template, spec: {...template.spec, nodeSelector: {'no-such': 'label'}}},
      },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: {name: 'outside'},
      spec: {type: 'LoadBalancer', ports: [{port: 80}]},
    },
  ]
  const corner = await objectsCorner({web: {objects}})

  const {exitCode, stderr} = await corner.kk('deploy', '--yes')
  const {stdout} = await corner.kk('status')

  expect(exitCode, stderr).toBe(0)
  for (const text of [stderr, stdout]) {
    expect(text).toContain('web: DaemonSet/nowhere: no node matches it, so it has no pods')
    expect(text).toContain('web: Service/outside: its load balancer has no address')
  }
  expect(stdout).toMatch(/^web +1 +deployed +healthy/m)
})

it('ReplicationControllers, ReplicaSets and APIServices are awaited', async () => {
  const image = 'registry.invalid/x:1'
  const {spec} = workload('ReplicaSet', 'controller', {image})
  const controller = {
    apiVersion: 'v1',
    kind: 'ReplicationController',
    metadata: {name: 'controller'},
    spec: {...(spec as object), selector: {app: 'controller'}},
  }
  const group = `g${Date.now()}.example.org`
  const server = {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: {name: `v1.${group}`},
    spec: {
      group,
      version: 'v1',
      groupPriorityMinimum: 1,
      versionPriority: 1,
      service: {name: 'none', namespace: 'default'},
    },
  }
  const corner = await objectsCorner({
    sets: {objects: [workload('ReplicaSet', 'set', {image}), controller], timeout: '8s'},
    server: {objects: [server], timeout: '8s'},
  })

  const {exitCode, stdout} = await deploy(corner)
  await kubectl(['delete', 'apiservice', server.metadata.name])

  expect(exitCode).toBe(1)
  expect(releaseOutcomes(stdout)).toEqual({sets: 'failed', server: 'failed'})
  expect(stdout).toMatch(/ReplicaSet\/set: 0 of 1 replicas are available/)
  expect(stdout).toMatch(/ReplicationController\/controller: 0 of 1 replicas are available/)
  expect(stdout).toMatch(/APIService\/v1\.g\d+\.example\.org: its condition Available is False/)
})

it('a namespace that is deleted during a gate is reported before the deadline', async () => {
  const corner = await objectsCorner({
    web: {objects: [workload('Deployment', 'web', {pod: {fail: 'NeverReady'}})], timeout: '10m'},
  })
  const deploying = start(corner.corner, ['deploy', 'env.yaml', '--yes'], {env: corner.env})
  await deploying.saw(
    (event) => event.type === 'release-progressed' && event.phase === 'gate',
    'the gate is awaited',
  )

  // An object with a finalizer keeps the namespace going for as long as it is looked at.
  const held = ['configmap', 'held', '--namespace', corner.name]
  const finalizers = (names: readonly string[]) =>
    kubectl(['patch', ...held, '--type', 'merge', '--patch', JSON.stringify({metadata: {finalizers: names}})])
  await kubectl(['create', ...held])
  await finalizers(['example.org/held'])

  await kubectl(['delete', 'namespace', corner.name, '--wait=false'])

  const {exitCode, stdout} = await deploying.ended()
  await finalizers([])
  expect(exitCode).toBe(1)
  expect(stdout).toContain(`the namespace ${corner.name} is being deleted`)
})
