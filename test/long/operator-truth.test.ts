import {beforeAll, expect, it} from 'vitest'
import type {EnvironmentObject} from '../../src/operator/crds/environment.ts'
import {done} from '../e2e/support/guarded.ts'
import {
  messageOf,
  type OperatedCluster,
  type OperatedEnvironment,
  startOperatedCluster,
} from '../e2e/support/operator.ts'
import {sizeAtNight} from '../support/night.ts'
import {judge} from './support/judge.ts'
import {seedOfRun, throwDice} from './support/seed.ts'

// Number 17 of the proof of the design, on what an operator has written that meets faults;
// operator-status.test.ts has every status.
let cluster: OperatedCluster
let environment: OperatedEnvironment
let node: string
beforeAll(async () => {
  cluster = await startOperatedCluster(1)
  environment = cluster.environment()
  node = await done(cluster.kubectl('get', 'nodes', '--output', 'name'))
  return () => cluster.end()
})

interface Fault {
  /** Why it is not ready then. */
  readonly reason: string
  inflict(): Promise<unknown>
  mend(): Promise<unknown>
}

const kubectl = (...words: readonly string[]) =>
  done(cluster.kubectl(...words, '--namespace', environment.name))
const setImage = (image: string) => kubectl('set', 'image', 'deployment/api', `main=${image}`)

/** A Deployment whose next pods fail, while those of before go on. */
const rollout = (image: string): Fault => ({
  reason: 'Unhealthy',
  inflict: () => setImage(image),
  mend: () => setImage('registry.example.org/workload:1'),
})

const FAULTS: Readonly<Record<string, Fault>> = {
  'an image that cannot be pulled': rollout('registry.invalid/workload:1'),
  'a container that crashes': rollout('sandbox.kk.openstack.org/crash-loop:1'),
  'half a rollout': {
    reason: 'Unhealthy',
    async inflict() {
      await kubectl('scale', 'deployment/api', '--replicas', '4')
      await setImage('registry.invalid/workload:1')
    },
    async mend() {
      await setImage('registry.example.org/workload:1')
      await kubectl('scale', 'deployment/api', '--replicas', '1')
    },
  },
  'a node that is lost': {
    reason: 'Unhealthy',
    async inflict() {
      await kubectl('cordon', node)
      await kubectl('delete', 'pods', '--all', '--wait=false')
    },
    mend: () => kubectl('uncordon', node),
  },
  'a Job that fails': {
    reason: 'Failed',
    inflict: () => environment.rewrite(environment.text({db: {job: {pod: {fail: 'JobFailed'}}}})),
    mend: () => environment.rewrite(environment.text()),
  },
}
const ROUNDS = sizeAtNight(50, Object.keys(FAULTS).length)

interface Written extends EnvironmentObject {
  readonly kind: string
}

interface Sample {
  /** Whether a gate was closed, and the operator had said so, before it was read and still then. */
  readonly isClosed: boolean
  readonly object: Written
}

/**
 * Reads the Environment and its Releases again and again, until it is ended; each object as it was written,
 * once.
 */
function takeSamples(isClosed: () => boolean): () => Promise<readonly Sample[]> {
  const samples = new Map<string, Sample>()
  const path = '/apis/kk.openstack.org/v1alpha1/namespaces/kk-system'
  let isEnded = false
  const sampling = (async () => {
    while (!isEnded) {
      const before = isClosed()
      for (const kind of ['environments', 'releases']) {
        const {items} = await cluster.ask<{items: readonly Written[]}>({path: `${path}/${kind}`})
        for (const object of items) {
          const sample = {isClosed: before && isClosed(), object}
          const {uid, resourceVersion} = object.metadata
          samples.set(`${uid} ${resourceVersion} ${sample.isClosed}`, sample)
        }
      }
    }
  })()
  return async () => {
    isEnded = true
    await sampling
    // What it has not seen yet it has not written about.
    return [...samples.values()].filter(
      ({object: {metadata, status}}) => status?.observedGeneration === metadata.generation,
    )
  }
}

const isReady = ({status}: EnvironmentObject) =>
  status?.conditions?.find(({type}) => type === 'Ready')?.status === 'True'

it('17: an Environment is ready only while every gate is open, and kstatus and Flux agree with its statuses', {
  timeout: 900_000 + ROUNDS * 120_000,
}, async () => {
  const seed = seedOfRun()
  const dice = throwDice(seed)
  const names = Object.keys(FAULTS)
  const told: string[] = []
  let isClosed = false
  await cluster.start()
  await environment.apply(environment.text())
  await environment.has('Ready', 'True')
  const end = takeSamples(() => isClosed)

  for (let round = 0; round < ROUNDS; round++) {
    const name = names[round] ?? dice.pick(names)
    const {reason, inflict, mend} = FAULTS[name]!
    await inflict()
    const closed = await environment.has('Ready', 'False', reason)
    isClosed = true
    told.push(`${name}: ${messageOf(closed, 'Ready')}`)
    // What makes the operator look again does not change what it says.
    await kubectl('label', 'deployment', '--all', '--overwrite', `round=${round}`)
    await environment.has('Ready', 'False', reason)
    isClosed = false
    await mend()
    const open = await environment.has('Ready', 'True')
    expect(open.status?.summary).toBe('2/2')
  }
  const samples = await end()
  const verdicts = await judge(samples.map(({object}) => object))

  const account = [`KK_TEST_SEED=${seed}`, ...told].join('\n')
  for (const line of told) expect(line).toMatch(new RegExp(`${environment.name}/(api|db)`))
  expect(verdicts.map(({fail, warn}) => fail + warn).filter(Boolean), account).toEqual([])
  const ofEnvironment = samples.flatMap(({isClosed: wasClosed, object}, index) =>
    object.kind === 'Environment' ? [{wasClosed, ready: isReady(object), ...verdicts[index]!}] : [],
  )
  expect(ofEnvironment.filter(({wasClosed}) => wasClosed).length, account).toBeGreaterThanOrEqual(ROUNDS)
  expect(
    ofEnvironment.filter(({wasClosed, ready}) => wasClosed && ready),
    account,
  ).toEqual([])
  expect(
    ofEnvironment.filter(({ready, kstatus}) => ready !== (kstatus === 'Current')),
    account,
  ).toEqual([])
})
