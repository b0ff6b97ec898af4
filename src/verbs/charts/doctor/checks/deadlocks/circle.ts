import type {Event, Need, Needs} from './events.ts'

/** One event needs another. */
export interface Step {
  readonly from: Event
  readonly to: Event
  readonly need: Need
}

/** The events that can happen, one after the other. */
export function happening(needs: Needs): ReadonlySet<Event> {
  const happened = new Set<Event>()
  for (;;) {
    const next = [...needs].filter(
      ([event, own]) =>
        !happened.has(event) && own.every(({anyOf}) => anyOf.some((each) => happened.has(each))),
    )
    if (next.length === 0) return happened
    for (const [event] of next) happened.add(event)
  }
}

/** The shortest way from an event by this need back to itself, over events that cannot happen; none where there is none. */
export function circleOf(
  event: Event,
  need: Need,
  {needs, happened}: {readonly needs: Needs; readonly happened: ReadonlySet<Event>},
): readonly Step[] {
  const stepsOf = (from: Event, {anyOf}: Need, by: Need): readonly Step[] =>
    anyOf.filter((to) => !happened.has(to)).map((to) => ({from, to, need: by}))
  const seen = new Set<Event>()
  const ways: (readonly Step[])[] = stepsOf(event, need, need).map((step) => [step])
  for (const way of ways) {
    const at = way.at(-1)!.to
    if (at === event) return way
    if (seen.has(at)) continue
    seen.add(at)
    const open = (needs.get(at) ?? []).filter(({anyOf}) => !anyOf.some((each) => happened.has(each)))
    for (const each of open) for (const step of stepsOf(at, each, each)) ways.push([...way, step])
  }
  return []
}
