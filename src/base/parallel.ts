/**
 * So many items are in hand at once, for each can hold a record of a release: some MB. How many requests and helms run
 * at once is decided where they leave: by the client of the API server, and by helm.
 */
const IN_HAND = 8

/** Applies `work` to all items, some at a time; the results are in the order of the items. */
export async function mapParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length)
  const queue = items.entries()
  async function worker(): Promise<void> {
    for (const [index, item] of queue) results[index] = await work(item)
  }
  await Promise.all(Array.from({length: Math.min(IN_HAND, items.length)}, worker))
  return results
}
