import {setTimeout as wait} from 'node:timers/promises'
import {beforeAll, expect, it} from 'vitest'
import type {ReleaseObject} from '../../src/operator/crds/release.ts'
import {waitFor} from '../e2e/support/cluster.ts'
import {
  type OperatedCluster,
  type OperatedEnvironment,
  type RunningOperator,
  startOperatedCluster,
} from '../e2e/support/operator.ts'
import {sizeAtNight} from '../support/night.ts'
import {seedOfRun, throwDice} from './support/seed.ts'

// Number 22 of the proof of the design: children come and go, and shards change, while edits are deployed.
const ROUNDS = sizeAtNight(40, 4)
/** So long a task may wait at most for whoever does it. */
const UNCLAIMED_MILLISECONDS = 60_000
const SHARDS = ['workload', 'api', 'db'] as const
const SHAPE = ['--topology', 'per-component', '--service', 'workload', '--isolate', 'api', '--isolate', 'db']
const PATTERNS = ['workload', 'api', 'db', 'others', 'a*'] as const

let cluster: OperatedCluster
beforeAll(async () => {
  cluster = await startOperatedCluster(2, ...SHAPE)
  return () => cluster.end()
})

/** How often helm was started for each release: `db 3`, as `states` would say it. */
async function changes(
  processes: readonly RunningOperator[],
  environment: OperatedEnvironment,
): Promise<readonly string[]> {
  const all = (await Promise.all(processes.map((each) => each.changes(environment)))).flat()
  const count = (release: string) => all.filter((change) => change.endsWith(` ${release}`)).length
  return ['api', 'db'].map((release) => `${release} ${count(release)} deployed`)
}

it('22: each action runs once, for any number of workers and shards', {
  timeout: 600_000 + ROUNDS * 120_000,
}, async () => {
  const environments = [cluster.environment(), cluster.environment()]
  const seed = seedOfRun()
  const dice = throwDice(seed)
  const all: RunningOperator[] = []
  const startOne = async (...words: readonly string[]) => {
    const started = await cluster.start(...words)
    all.push(started)
    return started
  }
  const startParent = () => {
    const shards = SHARDS.filter(() => dice.percent(50)).flatMap((shard) => ['--shards', shard])
    return startOne('--role', 'parent', ...(shards.length > 0 ? shards : ['--shards', 'workload']))
  }
  const startChild = (pattern: string) => startOne('--role', 'child', '--shards', pattern)
  const late = {pod: {'ready-after': '1s'}}
  const edit = (round: number) =>
    Promise.all(
      environments.map((each) => {
        const replicas = 1 + (round % 2)
        return each.apply(each.text({db: {...late, replicas}, api: {replicas}}))
      }),
    )
  const settled = (round: number) =>
    Promise.all(
      environments.map(async (each) => {
        await waitFor(async () => (await each.states()).join() === lastOf(round), {
          until: `${each.name} has the revisions of round ${round} (KK_TEST_SEED=${seed})`,
          seconds: 180,
        })
        await each.has('Ready', 'True')
      }),
    )

  let parent = await startParent()
  // One is always there for whatever nobody else serves.
  await startChild('*')
  const children = [await startChild('api')]
  await edit(0)
  await settled(0)
  const unclaimed = watchUnclaimed()
  for (let round = 1; round <= ROUNDS; round++) {
    await edit(round)
    const change = dice.pick(['add', 'remove', 'kill', 'relabel'] as const)
    if (change === 'add' || children.length === 0) children.push(await startChild(dice.pick(PATTERNS)))
    else if (change === 'remove') await children.shift()!.stop()
    else if (change === 'relabel') {
      await parent.stop()
      parent = await startParent()
    }
    await settled(round)
    // One that dies at work may leave a revision that another has to make again: 6 is about that.
    if (change === 'kill') await children.shift()?.kill()
  }

  expect(await unclaimed.longest(), `KK_TEST_SEED=${seed}`).toBeLessThan(UNCLAIMED_MILLISECONDS)
  for (const each of environments) {
    expect(await changes(all, each), `KK_TEST_SEED=${seed}`).toEqual(await each.states())
    expect((await each.states()).join()).toBe(lastOf(ROUNDS))
  }
  expect((await parent.helmCalls()).filter((call) => /^(install|upgrade)/.test(call))).toEqual([])
})

interface Rows {
  readonly items: readonly Pick<ReleaseObject, 'metadata' | 'spec' | 'status'>[]
}

/**
 * Looks, all the time, which tasks nobody has claimed; `longest` ends it, with the most milliseconds that one
 * has waited.
 */
function watchUnclaimed() {
  const end = new AbortController()
  const path = '/apis/kk.openstack.org/v1alpha1/namespaces/kk-system/releases'
  const watched = (async () => {
    let longest = 0
    let since = new Map<string, number>()
    while (!end.signal.aborted) {
      const {items} = await cluster.ask<Rows>({path})
      const now = performance.now()
      const waiting = items
        .filter(({spec: {planned}, status}) => planned && planned.run !== status?.work?.run)
        .map(({metadata, spec}) => `${metadata.name} ${spec.planned!.run}`)
      since = new Map(waiting.map((task) => [task, since.get(task) ?? now]))
      longest = Math.max(longest, ...[...since.values()].map((first) => now - first))
      await wait(250)
    }
    return longest
  })()
  // The test may fail before it asks.
  watched.catch(() => undefined)
  return {
    longest() {
      end.abort()
      return watched
    },
  }
}

function lastOf(round: number): string {
  return ['api', 'db'].map((release) => `${release} ${round + 1} deployed`).join()
}
