import {setImmediate as nextTurn} from 'node:timers/promises'

/** The outcome of one item: returns its result, or throws the refusal. */
export type Outcome<T> = () => T

/**
 * Returns a function that processes one item: items that arrive during a batch form the next batch, because
 * the commit of a transaction costs more than its content. `work` takes at most `most` items, and processes
 * all of them or, if it rejects, none. After a rejection, each item is retried alone, so that no item fails
 * because of another.
 */
export function batched<In, Out>(
  work: (group: readonly In[]) => Promise<readonly Outcome<Out>[]>,
  most: number,
): (one: In) => Promise<Out> {
  const waiting: {readonly one: In; readonly finish: (outcome: Outcome<Out>) => void}[] = []
  let isWorking = false

  async function workAlone(one: In): Promise<Outcome<Out>> {
    try {
      return (await work([one]))[0]!
    } catch (error) {
      return refused(error)
    }
  }

  async function workOff(): Promise<void> {
    isWorking = true
    while (waiting.length > 0) {
      // A synchronous database leaves no time for other items to arrive: those that have arrived are read
      // first.
      await nextTurn()
      const group = waiting.splice(0, most)
      const all = group.map(({one}) => one)
      const outcomes = group.length > 1 ? await work(all).catch(() => undefined) : undefined
      for (const [index, {one, finish}] of group.entries())
        finish(outcomes?.[index] ?? (await workAlone(one)))
    }
    isWorking = false
  }

  return (one) =>
    new Promise((resolve, reject) => {
      const finish = (outcome: Outcome<Out>) => {
        try {
          resolve(outcome())
        } catch (error) {
          reject(error)
        }
      }
      waiting.push({one, finish})
      if (!isWorking) void workOff()
    })
}

/** Returns the outcome of a refused item. */
export function refused(error: unknown): Outcome<never> {
  return () => {
    throw error
  }
}
