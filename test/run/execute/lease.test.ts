import fc from 'fast-check'
import {describe, expect, test} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import type {HeldLease, Leases} from '../../../src/kubernetes/lease/leases.ts'
import type {Action, ActionKind} from '../../../src/plan/plan.ts'
import type {ReleaseId} from '../../../src/release.ts'
import {newHold} from '../../../src/run/execute/lease.ts'
import {id} from '../../graph/graph-of.ts'
import {port} from '../../kubernetes/support/port.ts'
import {heldLease} from './held-lease.ts'

type Pause = () => Promise<void>

/** The Leases of a cluster; `pause` is awaited before each look at them. */
function newLeases(pause: Pause = async () => undefined) {
  const holders = new Map<ReleaseId, string>()
  let changed = Promise.withResolvers<void>()
  /** Lines like `ours has a`, `ours waits for a`. */
  const log: string[] = []

  const hold: Leases['hold'] = async (release, holder, deadline, waiting) => {
    for (;;) {
      await pause()
      const current = holders.get(release)
      if (current === undefined) break
      if (deadline === 0) throw new KkError('KK_HELD', `${release} is held by ${current}`)
      log.push(`${holder} waits for ${release}, having ${[...had(holder)].length}`)
      waiting?.onHeld?.(current)
      await changed.promise
    }
    holders.set(release, holder)
    log.push(`${holder} has ${release}`)
    return heldLease({
      async release() {
        await pause()
        give(release, holder)
      },
    })
  }
  const had = (holder: string) => [...holders].filter(([, each]) => each === holder)
  function give(release: ReleaseId, holder: string): void {
    holders.delete(release)
    log.push(`${holder} gives ${release}`)
    changed.resolve()
    changed = Promise.withResolvers()
  }
  return {cluster: {leases: port<Leases>({hold})}, holders, log, give}
}

function groupOf(names: string, kind: ActionKind = 'upgrade'): Pick<Action, 'release' | 'kind' | 'group'>[] {
  const group = [...names].map((name) => id(name))
  return group.map((release) => ({release, kind, group}))
}

interface Taking {
  readonly holder: string
  readonly actions: ReturnType<typeof groupOf>
  readonly waits?: boolean
}

/** All actions of a run ask at once, as members of a group do. */
function takeAll(
  {cluster}: Pick<ReturnType<typeof newLeases>, 'cluster'>,
  {holder, actions, waits = true}: Taking,
) {
  const hold = newHold({cluster, holder, actions, waits})
  const said: string[] = []
  const asking = actions.map(({release}) =>
    hold({release, deadline: 1, onHeld: (held, by) => void said.push(`${release}: ${held} by ${by}`)}),
  )
  return {said, leases: Promise.all(asking)}
}

describe('the Leases of a group', () => {
  test('are taken in the order of their names, whatever the order of the plan', async () => {
    const world = newLeases()

    await takeAll(world, {holder: 'ours', actions: groupOf('cab')}).leases

    expect(world.log).toEqual(['ours has openstack/a', 'ours has openstack/b', 'ours has openstack/c'])
  })

  test('are released while waiting for another one, and every member reports its holder', async () => {
    const world = newLeases()
    world.holders.set(id('b'), 'theirs')
    const {said, leases} = takeAll(world, {holder: 'ours', actions: groupOf('ab')})
    await expect
      .poll(() => said)
      .toEqual(['openstack/a: openstack/b by theirs', 'openstack/b: openstack/b by theirs'])

    world.give(id('b'), 'theirs')
    await leases

    expect(world.log).toEqual([
      'ours has openstack/a',
      'ours gives openstack/a',
      'ours waits for openstack/b, having 0',
      'theirs gives openstack/b',
      'ours has openstack/b',
      'ours gives openstack/b',
      'ours has openstack/a',
      'ours has openstack/b',
    ])
  })

  test('are refused to all members if one is held and the run does not wait', async () => {
    const world = newLeases()
    world.holders.set(id('b'), 'theirs')

    const {leases} = takeAll(world, {holder: 'ours', actions: groupOf('ab'), waits: false})

    await expect(leases).rejects.toMatchObject({
      code: 'KK_HELD',
      message: 'openstack/b is held by theirs; a, b need each other and start only together',
    })
    expect([...world.holders]).toEqual([[id('b'), 'theirs']])
  })

  test('report the previous holder of a Lease that was taken over and released in between', async () => {
    const world = newLeases()
    world.holders.set(id('b'), 'theirs')
    const cluster: {readonly leases: Leases} = {
      leases: port({
        async hold(release, holder, deadline, waiting) {
          const isTheirs = world.holders.get(release) === 'theirs'
          if (isTheirs && deadline > 0) world.give(release, 'theirs')
          const lease = await world.cluster.leases.hold(release, holder, deadline, waiting)
          return isTheirs ? {...lease, takenFrom: 'theirs'} : lease
        },
      }),
    }

    const leases = await takeAll({cluster}, {holder: 'ours', actions: groupOf('ab')}).leases

    expect(leases.map(({takenFrom}) => takenFrom)).toEqual([undefined, 'theirs'])
  })

  test('include only members that are changed', async () => {
    const world = newLeases()
    world.holders.set(id('b'), 'theirs')
    const [a, b] = groupOf('ab')
    const hold = newHold({
      cluster: world.cluster,
      holder: 'ours',
      actions: [a!, {...b!, kind: 'await'}],
      waits: true,
    })

    await hold({release: id('a'), deadline: 1, onHeld: () => undefined})

    expect(world.holders.get(id('a'))).toBe('ours')
  })

  test('never deadlock two runs, and have one holder each', async () => {
    const run = fc.constantFrom('abc', 'bca', 'ab', 'bc', 'a', 'c')
    const law = fc.asyncProperty(
      fc.scheduler(),
      fc.array(run, {minLength: 2, maxLength: 4}),
      async (scheduler, runs) => {
        const world = newLeases(() => scheduler.schedule(Promise.resolve()))
        const working = runs.map(async (names, place) => {
          const leases = await takeAll(world, {holder: `run ${place}`, actions: groupOf(names)}).leases
          await Promise.all(leases.map((lease: HeldLease) => lease.release()))
        })

        await scheduler.waitFor(Promise.all(working))

        expect([...world.holders]).toEqual([])
        expect(world.log.filter((line) => /waits .* having [1-9]/.test(line))).toEqual([])
        expect(taking(world.log)).toEqual([])
      },
    )
    await fc.assert(law, {numRuns: 200})
  })
})

/** Lines of the log that take what another has. */
function taking(log: readonly string[]): readonly string[] {
  const held = new Set<string>()
  return log.filter((line) => {
    const [, verb, release] = /(has|gives) (\S+)$/.exec(line) ?? []
    if (verb === 'gives') held.delete(release!)
    if (verb !== 'has') return false
    const isTaken = held.has(release!)
    held.add(release!)
    return isTaken
  })
}
