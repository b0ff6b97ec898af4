import {describe, expect, it} from 'vitest'
import type {PlanDocument} from '../../src/report/plan/plan-json.ts'
import {atNight} from '../support/night.ts'
import {annotatePods} from './support/annotate-pods.ts'
import {makeNamespace, waitFor} from './support/cluster.ts'
import {allInOne, makeEnvironment, type TestEnvironment, workloads} from './support/environment.ts'
import {history} from './support/history.ts'
import {makeReady} from './support/make-ready.ts'
import {revisions} from './support/records.ts'

const readyAfter = (delay: string) => ({pod: {'ready-after': delay}})
/** Until the test says so. */
const LATE = readyAfter('1h')

async function deploy(environment: TestEnvironment, ...flags: readonly string[]) {
  const {exitCode, stderr} = await environment.kk('deploy', ...flags)
  expect(exitCode, stderr).toBe(0)
  return history(environment.name)
}

/** Deploys; what waits for long is Ready when these have been started. */
async function deployUntil(
  environment: TestEnvironment,
  {started, ready}: Turn,
  ...flags: readonly string[]
) {
  const deployed = deploy(environment, ...flags)
  const haveStarted = async () => {
    const names = Object.keys(await revisions(environment.name))
    return started.every((name) => names.includes(name))
  }
  const turned = waitFor(haveStarted, {until: `${started} have been started`, seconds: 120}).then(() =>
    Promise.all(ready.map((name) => makeReady(environment.name, name))),
  )
  return (await Promise.all([deployed, turned]))[0]
}

interface Turn {
  /** Releases of which helm has written something. */
  readonly started: readonly string[]
  /** Those whose pods become Ready then. */
  readonly ready: readonly string[]
}

describe.concurrent('in the audit log of the API server', () => {
  atNight(() => {
    it('none of the six charts is written before its requirements are Ready, however late they are', async () => {
      const namespace = await makeNamespace('order')
      const environment = await makeEnvironment({content: await allInOne(), namespace})
      const plan = await environment.json<PlanDocument>('plan')
      const delays = {mariadb: '3s', rabbitmq: '1500ms', memcached: '500ms', keystone: '1s', horizon: '700ms'}
      await Promise.all(
        Object.entries(delays).map(([name, delay]) =>
          annotatePods({
            namespace,
            labels: {'app.kubernetes.io/name': name},
            annotations: {'sandbox.kk.openstack.org/ready-after': delay},
          }),
        ),
      )

      await environment.deploy()

      const of = await history(namespace)
      const edges = plan.actions.flatMap(({release, requires}) =>
        requires.map((required) => [nameOf(release), nameOf(required.release)] as const),
      )
      expect(edges).toHaveLength(9)
      for (const [name, required] of edges) {
        expect(of(name).started > of(required).ready, `${name} after ${required}`).toBe(true)
      }
    })
  })

  it('a release starts as soon as its own requirements are Ready, regardless of other releases', async () => {
    const content = workloads({
      slow: {values: LATE},
      quick: {values: readyAfter('500ms')},
      middle: {requires: ['quick'], values: readyAfter('1s')},
      last: {requires: ['middle']},
      top: {requires: ['slow', 'last']},
    })

    const of = await deployUntil(await makeEnvironment({content}), {started: ['last'], ready: ['slow']})

    expect(of('middle').started > of('quick').ready).toBe(true)
    expect(of('last').started > of('middle').ready).toBe(true)
    expect(of('last').started < of('slow').ready).toBe(true)
    expect(of('top').started > of('slow').ready).toBe(true)
  })

  atNight(() => {
    it('an applied edge waits until the objects exist, even if they are not Ready', async () => {
      const content = workloads({
        network: {values: LATE},
        compute: {requires: ['network:applied']},
      })

      const of = await deployUntil(await makeEnvironment({content}), {
        started: ['compute'],
        ready: ['network'],
      })

      expect(of('compute').started > of('network').applied).toBe(true)
      expect(of('compute').started < of('network').ready).toBe(true)
    })
  })

  atNight(() => {
    it('an applied edge does not wait for hooks, unlike helm', async () => {
      const hook = {hook: 'post-install', pod: {'ready-after': '100ms', 'complete-after': '7s'}}
      const content = workloads({
        network: {values: {job: hook}},
        compute: {requires: ['network:applied']},
      })

      const of = await deploy(await makeEnvironment({content}))

      expect(of('compute').started < of('network').ready).toBe(true)
    })
  })

  atNight(() => {
    it('releases that require each other start together, even if only one helm runs at a time', async () => {
      const content = workloads({
        before: {values: readyAfter('500ms')},
        nova: {requires: ['before', 'neutron:applied'], values: LATE},
        neutron: {requires: ['nova:applied'], values: LATE},
        after: {requires: ['nova']},
      })

      const of = await deployUntil(
        await makeEnvironment({content}),
        {started: ['nova', 'neutron'], ready: ['nova', 'neutron']},
        '--concurrency',
        '1',
      )

      expect(of('nova').started > of('before').ready).toBe(true)
      expect(of('neutron').started > of('before').ready).toBe(true)
      expect(of('neutron').started < of('nova').ready).toBe(true)
      expect(of('nova').started < of('neutron').ready).toBe(true)
      expect(of('after').started > of('nova').ready).toBe(true)
    })
  })

  atNight(() => {
    it('--concurrency 1 runs one helm at a time, also while another release is not Ready yet', async () => {
      const content = workloads({
        first: {values: LATE},
        second: {values: readyAfter('1s')},
      })

      const of = await deployUntil(
        await makeEnvironment({content}),
        {started: ['second'], ready: ['first']},
        '--concurrency',
        '1',
      )

      expect(of('second').started > of('first').applied).toBe(true)
      expect(of('second').started < of('first').ready).toBe(true)
    })
  })
})

function nameOf(release: string): string {
  return release.slice(release.indexOf('/') + 1)
}
