/**
 * The number of items processed at once. Each can hold a release record of several MB. The clients limit
 * requests and helm processes separately.
 */
const MAX_CONCURRENT_ITEMS = 8

/** Applies `work` to all items with limited concurrency. Results are in the order of the items. */
export async function mapParallel<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results = new Array<R>(items.length)
  const queue = items.entries()
  async function worker(): Promise<void> {
    for (const [index, item] of queue) results[index] = await work(item)
  }
  await Promise.all(Array.from({length: Math.min(MAX_CONCURRENT_ITEMS, items.length)}, worker))
  return results
}
