import fc from 'fast-check'
import {expect, test} from 'vitest'
import {KkError} from '../../src/errors.ts'
import type {Action, Plan} from '../../src/plan/plan.ts'
import type {ReleaseId} from '../../src/release.ts'
import type {RunEvent} from '../../src/run/events.ts'
import type {Perform} from '../../src/run/perform.ts'
import {run} from '../../src/run/run.ts'
import {runsHelm} from '../../src/run/schedule/schedule.ts'
import {arbitraryPlan, awaited} from './plan-of.ts'

type Fate = 'succeeds' | 'fails in helm' | 'fails at the gate'

interface World {
  readonly plan: Plan
  readonly fates: ReadonlyMap<ReleaseId, Fate>
  readonly concurrency: number
}

function arbitraryWorld(): fc.Arbitrary<World> {
  const fate = fc.constantFrom<Fate>('succeeds', 'succeeds', 'succeeds', 'fails in helm', 'fails at the gate')
  return arbitraryPlan().chain((plan) =>
    fc.record({
      plan: fc.constant(plan),
      concurrency: fc.integer({min: 1, max: 4}),
      fates: fc
        .array(fate, {minLength: plan.actions.length, maxLength: plan.actions.length})
        .map(
          (fates) => new Map(plan.actions.map(({release, kind}, n) => [release, fateOf(kind, fates[n]!)])),
        ),
    }),
  )
}

function fateOf(kind: Action['kind'], fate: Fate): Fate {
  return kind === 'unchanged' ? 'succeeds' : fate
}

/** What is so at the moment when an action starts. */
type Observer = (action: Action, now: Now) => void

/** Runs the world with every helm and every gate ending in the order that fast-check chooses. */
async function runWorld(world: World, scheduler: fc.Scheduler, observer?: Observer): Promise<RunEvent[]> {
  const {plan, fates, concurrency} = world
  const now: Now = {helms: new Set(), applied: new Set(), succeeded: new Set()}
  const events: RunEvent[] = []
  const starts: (() => void)[] = []
  const perform: Perform = async (action, controls) => {
    const {release, kind} = action
    const then = {helms: new Set(now.helms), applied: new Set(now.applied), succeeded: new Set(now.succeeded)}
    starts.push(() => observer?.(action, then))
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
  // Not while it runs: an expectation that throws there would only fail the action.
  for (const start of starts) start()
  return events
}

interface Now {
  readonly helms: Set<ReleaseId>
  readonly applied: Set<ReleaseId>
  readonly succeeded: Set<ReleaseId>
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

test('every action ends once, and a failure skips exactly what depends on it, whatever the timing', async () => {
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

test('no action starts before what it requires', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryWorld(), fc.scheduler(), async (world, scheduler) => {
      const idle = new Set(
        world.plan.actions.filter(({kind}) => kind === 'unchanged').map(({release}) => release),
      )

      await runWorld(world, scheduler, (action, {applied, succeeded}) => {
        for (const {release, kind} of awaited(action)) {
          if (idle.has(release)) continue
          expect(kind === 'ready' ? succeeded : applied).toContain(release)
        }
      })
    }),
  )
})

test('no more helms run than the limit, but for the members of one group', async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryWorld(), fc.scheduler(), async (world, scheduler) => {
      await runWorld(world, scheduler, ({kind, group}, {helms}) => {
        if (!runsHelm(kind)) return
        const others = [...helms].filter((release) => !group.includes(release))
        expect(others.length).toBeLessThan(world.concurrency)
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
