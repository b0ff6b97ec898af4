/** Applies `work` to all items, at most `limit` at once; the results are in the order of the items. */
export async function mapParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length)
  const queue = items.entries()
  async function worker(): Promise<void> {
    for (const [index, item] of queue) results[index] = await work(item)
  }
  await Promise.all(Array.from({length: Math.min(limit, items.length)}, worker))
  return results
}
