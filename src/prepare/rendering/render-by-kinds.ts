import type {ReleaseId} from '../../release.ts'

interface ByKinds<Item, Outcome> {
  /** Returns whether a chart asks which kinds the cluster has. */
  readonly asks: (item: Item) => boolean
  /** Returns the custom kinds that the rendered objects define, as `group/version/Kind`. */
  readonly definedBy: (outcomes: readonly Outcome[]) => readonly string[]
  /**
   * Renders the charts that do not query the kinds of the cluster; with `defined`, the charts that do, as if
   * the cluster also had these kinds.
   */
  readonly render: (
    items: readonly Item[],
    defined?: readonly string[],
  ) => Promise<ReadonlyMap<ReleaseId, Outcome>>
}

/**
 * Renders charts that ask for kinds after the others, with all kinds defined so far, until no new kinds are
 * defined.
 */
export async function renderByKinds<Item, Outcome>(
  items: readonly Item[],
  {asks, definedBy, render}: ByKinds<Item, Outcome>,
): Promise<ReadonlyMap<ReleaseId, Outcome>> {
  const {asking = [], silent = []} = Object.groupBy(items, (item) => (asks(item) ? 'asking' : 'silent'))
  const first = await render(silent)
  if (asking.length === 0) return first
  let defined = definedBy([...first.values()])
  for (;;) {
    const rendered = await render(asking, defined)
    const all = [...new Set([...defined, ...definedBy([...rendered.values()])])]
    if (all.length === defined.length) return new Map([...first, ...rendered])
    defined = all
  }
}
