import {describe, expect, it} from 'vitest'
import type {ImagePull, ImagePulls} from '../../src/kubernetes/image-pulls.ts'
import type {InventoryReader} from '../../src/kubernetes/inventory/inventory.ts'
import type {RunEvent} from '../../src/run/events.ts'
import type {RunObserver} from '../../src/run/observer.ts'
import {pullsAhead} from '../../src/run/pull-ahead.ts'
import {NO_RUN} from '../../src/run/run-state.ts'
import type {Perform} from '../../src/run/task.ts'
import {collected, runOf} from './run-of.ts'

const release = 'openstack/mariadb' as const
const progressed = (phase: 'helm' | 'gate'): RunEvent => ({
  ...{type: 'release-progressed', at: 1, release, phase, message: ''},
})
const finished: RunEvent = {
  ...{type: 'run-finished', at: 9, outcome: 'succeeded', seconds: 9},
  ...{succeeded: 1, failed: 0, skipped: 0, unchanged: 0},
}
const PULL: ImagePull = {
  namespace: 'openstack',
  placement: {},
  images: [{image: 'keystone:1'}, {image: 'glance:1'}],
}

/** Pulls of which all are done as soon as anybody looks; `did` is what was asked. */
function world(over: Partial<ImagePulls> = {}) {
  const did: string[] = []
  const pulls: ImagePulls = {
    may: async () => true,
    async begin({namespace, images}, nodes) {
      did.push(`begin ${images.length} in ${namespace} on ${nodes}`)
      const wanted = images.length * nodes
      return {
        progress: async () => ({wanted, pulled: wanted}),
        end: async () => void did.push('end'),
      }
    },
    ...over,
  }
  const node = {name: 'a', labels: {}, cpus: 1, memory: 1, addresses: []}
  const inventory: InventoryReader = {read: async () => ({nodes: [node, {...node, name: 'b'}]})}
  return {did, cluster: {pulls, inventory}}
}

async function told(
  events: readonly RunEvent[],
  cluster: ReturnType<typeof world>['cluster'],
  pulls = [PULL],
  patience = 5_000,
) {
  const seen: string[] = []
  const run = {state: NO_RUN, warned: () => {}, noted: (message: string) => void seen.push(message)}
  const observer = pullsAhead({pulls, cluster, patience})
  for (const event of events) {
    if (event.type === 'run-finished') await observer.finish?.(event.outcome, run)
    seen.push(event.type)
    observer.observe?.(event, run)
    // The next event comes when what this one began has had its turn.
    await new Promise(setImmediate)
  }
  return seen
}

describe('images of later releases', () => {
  it('are pulled when the first objects exist, and the pulling Jobs are removed before the end', async () => {
    const {did, cluster} = world()

    const seen = await told([progressed('gate'), progressed('gate'), finished], cluster)

    expect(did).toEqual(['begin 2 in openstack on 2', 'end'])
    expect(seen.at(-2)).toMatch(/^pulled 2 images of later releases to 2 nodes ahead, in \d+ s$/)
    expect(seen.at(-1)).toBe('run-finished')
  })

  it('are not pulled before that, nor if there are none', async () => {
    const {did, cluster} = world()

    expect(await told([progressed('helm'), finished], cluster)).toEqual([
      'release-progressed',
      'run-finished',
    ])
    expect(await told([progressed('gate'), finished], cluster, [])).toEqual([
      'release-progressed',
      'run-finished',
    ])
    expect(did).toEqual([])
  })

  it.each<[string, Partial<ImagePulls>, string]>([
    [
      'it may not create Jobs',
      {may: async () => false},
      ': you may not create Jobs in the namespace openstack',
    ],
    ['the cluster refuses', {begin: () => Promise.reject(new Error('quota exceeded'))}, 'quota exceeded'],
    ['permissions cannot be checked', {may: () => Promise.reject(new Error('no answer'))}, 'no answer'],
  ])('delay nothing if %s', async (_, over, why) => {
    const {cluster} = world(over)

    const seen = await told([progressed('gate'), finished], cluster)

    expect(seen[1]).toContain('pulled none of 2 images of later releases to 2 nodes ahead')
    expect(seen[1]).toContain(why)
    expect(seen[2]).toBe('run-finished')
  })

  it('are not awaited if the cluster does not answer', async () => {
    const {cluster} = world({may: () => new Promise(() => undefined)})

    const seen = await told([progressed('gate'), finished], cluster, [PULL], 10)

    expect(seen).toContain('the images pulled ahead are not known: the cluster did not answer at the end')
  })

  it('are abandoned, and the pulling Jobs removed, if the run is aborted', async () => {
    const {did, cluster} = world()
    const breaking: RunObserver = {
      observe({type}) {
        if (type === 'release-succeeded') throw new Error('broken off')
      },
    }
    const observers = [pullsAhead({pulls: [PULL], cluster}), breaking]
    const perform: Perform = async (_, {onProgress}) => {
      onProgress('gate', 'waiting for health')
      await new Promise(setImmediate)
      return {revision: 1}
    }

    await expect(collected(runOf({mariadb: []}, {perform, observers}))).rejects.toThrow('broken off')

    expect(did).toEqual(['begin 2 in openstack on 2', 'end'])
  })
})
