import fc from 'fast-check'
import {expect, test} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import {type Graph, reverse} from '../../src/graph/graph.ts'
import {groups} from '../../src/graph/groups.ts'
import type {Action, Plan} from '../../src/plan/plan.ts'
import {makeDestroyPlan} from '../../src/plan/removal/make-destroy-plan.ts'
import type {ReleaseId} from '../../src/release.ts'
import type {RunEvent} from '../../src/run/events.ts'
import {run} from '../../src/run/run.ts'
import {runsHelm} from '../../src/run/schedule/schedule.ts'
import type {Perform} from '../../src/run/task.ts'
import {arbitraryGraph} from '../graph/arbitrary-graph.ts'
import {clusterOf} from '../plan/removal/cluster-of.ts'
import {arbitraryPlan, awaited, planOf} from './plan-of.ts'

type Fate = 'succeeds' | 'fails in helm' | 'fails at the gate'

interface World {
  readonly plan: Plan
  readonly fates: ReadonlyMap<ReleaseId, Fate>
  readonly concurrency: number
}

/**
 * Many small worlds, in which all comes together often, and some large ones. What fails shrinks to a small
 * one.
 */
function arbitraryWorld(): fc.Arbitrary<World> {
  return fc.oneof(
    {withCrossShrink: true},
    {arbitrary: worldOf({plan: arbitraryPlan(), size: 12, most: 4}), weight: 9},
    {arbitrary: worldOf({plan: arbitraryPlan(500), size: 500, most: 40}), weight: 1},
  )
}

interface WorldShape {
  readonly plan: fc.Arbitrary<Plan>
  /** The most actions of the plan. */
  readonly size: number
  /** The highest concurrency. */
  readonly most: number
}

function worldOf({plan, size, most}: WorldShape): fc.Arbitrary<World> {
  const fate = fc.constantFrom<Fate>('succeeds', 'succeeds', 'succeeds', 'fails in helm', 'fails at the gate')
  return fc
    .record({
      plan,
      concurrency: fc.integer({min: 1, max: most}),
      fates: fc.array(fate, {maxLength: size}),
    })
    .map(({plan, concurrency, fates}) => ({
      plan,
      concurrency,
      fates: new Map(
        plan.actions.map(({release, kind}, index) => [release, fateOf(kind, fates[index] ?? 'succeeds')]),
      ),
    }))
}

function fateOf(kind: Action['kind'], fate: Fate): Fate {
  return kind === 'unchanged' ? 'succeeds' : fate
}

/** What is so at a moment. */
interface Now {
  readonly helms: ReadonlySet<ReleaseId>
  readonly applied: ReadonlySet<ReleaseId>
  readonly succeeded: ReadonlySet<ReleaseId>
}

/** Says what is wrong at the moment when an action starts. */
type Observer = (action: Action, now: Now) => string | undefined

/** Runs the world with every helm and every gate ending in the order that fast-check chooses. */
async function runWorld(world: World, scheduler: fc.Scheduler, observer?: Observer): Promise<RunEvent[]> {
  const {plan, fates, concurrency} = world
  const now = {helms: new Set<ReleaseId>(), applied: new Set<ReleaseId>(), succeeded: new Set<ReleaseId>()}
  const events: RunEvent[] = []
  const wrong: string[] = []
  const perform: Perform = async (action, controls) => {
    const {release, kind} = action
    // Not thrown here: that would only fail the action.
    const found = observer?.(action, now)
    if (found !== undefined) wrong.push(found)
    if (runsHelm(kind)) now.helms.add(release)
    await scheduler.schedule(Promise.resolve(), `helm ${release}`)
    now.helms.delete(release)
    if (fates.get(release) === 'fails in helm') throw new KkError('KK_HELM_FAILED', 'helm failed')
    now.applied.add(release)
    controls.onHelmEnded()
    await scheduler.schedule(Promise.resolve(), `gate ${release}`)
    if (fates.get(release) === 'fails at the gate') throw new KkError('KK_UNHEALTHY', 'not healthy')
    now.succeeded.add(release)
    return {revision: 1}
  }
  const collected = (async () => {
    for await (const event of run({run: 'r', plan, perform, concurrency})) events.push(event)
  })()
  await scheduler.waitFor(collected)
  expect(wrong).toEqual([])
  return events
}

/** How each action must end, whatever the timing. */
function expectedEnds({plan, fates}: World): ReadonlyMap<ReleaseId, string> {
  const ends = new Map<ReleaseId, string>()
  for (const action of plan.actions) {
    const members = plan.actions.filter(({release}) => action.group.includes(release))
    const blocked = members.flatMap(awaited).some(({release, kind}) => {
      if (ends.get(release) === 'release-skipped') return true
      const fate = fates.get(release)
      return kind === 'ready' ? fate !== 'succeeds' : fate === 'fails in helm'
    })
    const failed = fates.get(action.release) !== 'succeeds'
    ends.set(action.release, blocked ? 'release-skipped' : failed ? 'release-failed' : 'release-succeeded')
  }
  return ends
}

function endsOf(events: readonly RunEvent[]): readonly (readonly [ReleaseId, string])[] {
  const final = ['release-succeeded', 'release-failed', 'release-skipped']
  return events.flatMap((event) =>
    'release' in event && final.includes(event.type) ? [[event.release, event.type] as const] : [],
  )
}

test('every action ends once, and a failure skips exactly its dependents, whatever the timing', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryWorld(), fc.scheduler(), async (world, scheduler) => {
      const events = await runWorld(world, scheduler)

      const ends = endsOf(events)
      expect(ends).toHaveLength(world.plan.actions.length)
      expect(new Map(ends)).toEqual(expectedEnds(world))
    }),
  )
})

test('a skipped action names a failed one that it depends on', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryWorld(), fc.scheduler(), async (world, scheduler) => {
      const events = await runWorld(world, scheduler)

      const ends = new Map(endsOf(events))
      for (const event of events) {
        if (event.type !== 'release-skipped') continue
        expect(ends.get(event.because!)).toBe('release-failed')
        expect(requirementsOf(world.plan, event.release)).toContain(event.because)
      }
    }),
  )
})

function requirementsOf({actions}: Plan, release: ReleaseId): ReadonlySet<ReleaseId> {
  const found = new Set<ReleaseId>()
  const queue = [release]
  for (const next of queue) {
    for (const {release: required} of actions.find((action) => action.release === next)!.requires) {
      if (found.has(required)) continue
      found.add(required)
      queue.push(required)
    }
  }
  return found
}

test('no action starts before its requirements', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryWorld(), fc.scheduler(), async (world, scheduler) => {
      const idle = new Set(
        world.plan.actions.filter(({kind}) => kind === 'unchanged').map(({release}) => release),
      )

      await runWorld(world, scheduler, (action, {applied, succeeded}) => {
        const early = awaited(action).find(
          ({release, kind}) => !idle.has(release) && !(kind === 'ready' ? succeeded : applied).has(release),
        )
        return early && `${action.release} started before ${early.release} was ${early.kind}`
      })
    }),
  )
})

test('the number of running helms does not exceed the limit, except for the members of one group', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryWorld(), fc.scheduler(), async (world, scheduler) => {
      await runWorld(world, scheduler, ({release, kind, group}, {helms}) => {
        if (!runsHelm(kind)) return undefined
        const others = [...helms].filter((other) => !group.includes(other))
        return others.length < world.concurrency ? undefined : `${release} started beside ${others}`
      })
    }),
  )
})

test('the members of a group start together', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryWorld(), fc.scheduler(), async (world, scheduler) => {
      const events = await runWorld(world, scheduler)

      const starts = events.flatMap((event) => (event.type === 'release-started' ? [event.release] : []))
      const performed = new Set(
        world.plan.actions.filter(({kind}) => kind !== 'unchanged').map(({release}) => release),
      )
      for (const {group} of world.plan.actions) {
        const members = group.filter((member) => performed.has(member))
        const first = Math.min(...members.map((member) => starts.indexOf(member)))
        const together = first === -1 ? [] : starts.slice(first, first + members.length)
        expect(together.toSorted()).toEqual(first === -1 ? [] : members.toSorted())
        expect(members.some((member) => starts.includes(member))).toBe(together.length > 0)
      }
    }),
  )
})

test('a release is removed after all that require it', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRemoval(), fc.scheduler(), async ({graph, world}, scheduler) => {
      const users = reverse(graph).requirements
      const groupOf = groups(graph)

      const events = await runWorld(world, scheduler, ({release}, {succeeded}) => {
        const left = users
          .get(release)!
          .find(({to}) => groupOf.get(release) !== groupOf.get(to) && !succeeded.has(to))
        return left && `${release} was removed before ${left.to}`
      })

      expect(endsOf(events)).toHaveLength(graph.releases.length)
    }),
    {numRuns: 30},
  )
})

/** A cluster with releases that require each other, and the plan that removes them all. */
function arbitraryRemoval(): fc.Arbitrary<{readonly graph: Graph; readonly world: World}> {
  return arbitraryGraph(100).map((graph) => {
    const releases = graph.releases.map((release) => {
      const requires = graph.requirements.get(release)!.map(({to, kind}) => `${to}:${kind}`)
      return [release, {requires}] as const
    })
    const plan = makeDestroyPlan({
      ...planOf({}),
      uses: clusterOf(Object.fromEntries(releases)),
      isProtected: () => false,
      confirmed: new Set(),
    })
    const fates = new Map(graph.releases.map((release) => [release, 'succeeds' as const]))
    return {graph, world: {plan, fates, concurrency: 8}}
  })
}

test('a violated law is reported with a small example', async () => {
  const failsWhenAnythingIsSkipped = fc.asyncProperty(
    arbitraryWorld(),
    fc.scheduler(),
    async (world, scheduler) => {
      const events = await runWorld(world, scheduler)
      expect(events.map(({type}) => type)).not.toContain('release-skipped')
    },
  )

  const {failed, counterexample} = await fc.check(failsWhenAnythingIsSkipped, {seed: 1})

  expect(failed).toBe(true)
  expect(counterexample![0].plan.actions.length).toBeLessThanOrEqual(4)
})
