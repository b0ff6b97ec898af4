import {beforeAll, describe, expect, it} from 'vitest'
import {type Corner, openCorner} from './support/corner.ts'
import {eventsIn} from './support/events.ts'

/** Each is broken in its own way. What cannot get well by waiting has the default timeout of 15 minutes. */
const ENVIRONMENT = `
kk:
  OWN
  releases:
    crashing: {chart: workload, timeout: 10s}
    unpulled: {chart: workload, timeout: 10s}
    nowhere: {chart: workload, timeout: 10s}
    restless: {chart: workload, timeout: 10s}
    unready: {chart: workload, timeout: 10s}
    unbound: {chart: workload, timeout: 10s}
    unscheduled: {chart: workload, timeout: 10s}
    waiting: {chart: workload, timeout: 10s}
    slow-hook: {chart: workload, timeout: 10s}
    failed-job: {chart: workload}
    failed-hook: {chart: workload}
crashing: {pod: {fail: CrashLoopBackOff}}
unpulled: {pod: {fail: ImagePullBackOff}}
nowhere: {image: "registry.invalid/workload:2"}
restless: {image: "sandbox.kk.openstack.org/crash-loop:1"}
unready: {image: "sandbox.kk.openstack.org/never-ready:1"}
unbound: {claim: no-such-class}
unscheduled: {nodeSelector: {no-such: label}}
waiting: {init: true, pod: {fail: InitWaiting}}
slow-hook: {job: {hook: post-install, pod: {complete-after: 10m}}}
failed-job: {job: {pod: {fail: JobFailed}}}
failed-hook: {job: {hook: post-install, pod: {fail: JobFailed}}}
`

/** What is to be said of each, by `kk deploy` and by `kk status`. */
const REASONS = [
  ['crashing', /pod crashing-\S+, container main: CrashLoopBackOff \(/],
  [
    'unpulled',
    /pod unpulled-\S+, container main: ImagePullBackOff \(Back-off pulling image "registry\.example\.org\/workload:1"\)/,
  ],
  [
    'nowhere',
    /pod nowhere-\S+, container main: ImagePullBackOff \(Back-off pulling image "registry\.invalid\/workload:2"\)/,
  ],
  ['restless', /pod restless-\S+, container main: CrashLoopBackOff \(/],
  ['unready', /pod unready-\S+, container main: ContainersNotReady \(it is running but not ready\)/],
  [
    'unbound',
    /PersistentVolumeClaim\/unbound: Deployment\/unbound mounts it, and it is Pending \(storage class "no-such-class"\)/,
  ],
  ['unscheduled', /pod unscheduled-\S+: Unschedulable \(0\/3 nodes are available: /],
  ['waiting', /pod waiting-\S+, container wait: PodInitializing \(init container is still running\)/],
  ['failed-job', /pod failed-job-job-\S+, container job: Error \(exited with 1\)/],
] as const

let corner: Corner
let deployed: Awaited<ReturnType<Corner['kk']>>
let status: Awaited<ReturnType<Corner['kk']>>
beforeAll(async () => {
  corner = await openCorner(ENVIRONMENT)
  deployed = await corner.kk(['deploy', 'env.yaml', '--output', 'ndjson'])
  status = await corner.kk(['status', 'env.yaml'])
})

function failureOf(name: string) {
  const failures = eventsIn(deployed.stdout).filter((event) => event.type === 'release-failed')
  const found = failures.find(({release}) => release === `${corner.name}/${name}`)
  expect(found, deployed.stderr).toBeDefined()
  return found!
}

describe('a release that does not become healthy', () => {
  it('makes kk deploy and kk status exit with 1', () => {
    expect([deployed.exitCode, status.exitCode], deployed.stderr).toEqual([1, 1])
  })

  it.each(REASONS)('%s is reported with its cause in the failure of kk deploy', (name, reason) => {
    const {error} = failureOf(name)

    expect(error).toMatchObject({code: 'KK_UNHEALTHY', message: expect.stringMatching(reason)})
    expect(error.hint).toBeTruthy()
  })

  it.each(REASONS)('%s is reported with its cause at the end of the text of kk deploy', (name, reason) => {
    const [, summary] = deployed.stderr.split(/^run failed|\d run failed after/m)

    expect(summary).toMatch(
      new RegExp(`✖ ${name} failed after .*\\n  error KK_UNHEALTHY: .*${reason.source}`),
    )
  })

  it.each(REASONS)('%s is reported with its cause in kk status', (name, reason) => {
    const lines = status.stdout.split('\n').filter((line) => line.startsWith(`${name}: `))

    expect(lines.join('\n')).toMatch(reason)
  })

  it('fails at its deadline', () => {
    const seconds = ['crashing', 'unpulled', 'unbound', 'unscheduled', 'waiting'].map(
      (name) => failureOf(name).seconds,
    )

    expect(Math.min(...seconds)).toBeGreaterThan(9.9)
    expect(Math.max(...seconds)).toBeLessThan(60)
  })

  it('is reported with the last lines of its container', () => {
    expect(failureOf('crashing').error.log).toContain('this container is simulated: nothing runs in it')
  })
})

describe('a failed Job', () => {
  it('fails its release immediately, before the deadline', () => {
    expect(failureOf('failed-job').seconds).toBeLessThan(60)
    expect(failureOf('failed-job').error.message).toContain('it cannot become healthy')
  })

  it('that helm waits for is named next to the error of helm', () => {
    const {error, seconds} = failureOf('failed-hook')

    expect(error).toMatchObject({
      code: 'KK_HELM_FAILED',
      message: expect.stringMatching(
        /helm install failed: .*; Job\/failed-hook-job: it failed: BackoffLimitExceeded .*; pod failed-hook-job-\S+, container job: Error \(exited with 1\)/,
      ),
    })
    expect(seconds).toBeLessThan(60)
  })
})

describe('a hook that does not complete', () => {
  it('is named when helm is terminated at the deadline', () => {
    const {error, seconds} = failureOf('slow-hook')

    expect(error).toMatchObject({
      code: 'KK_HELM_FAILED',
      // Its pod runs: there is nothing to say of it.
      message: expect.stringMatching(
        /helm install did not finish within 10 s; Job\/slow-hook-job: 0 of 1 completions$/,
      ),
      hint: expect.stringContaining('kk.releases.slow-hook.timeout'),
    })
    expect(seconds).toBeLessThan(60)
  })
})
