import {setImmediate as nextTurn} from 'node:timers/promises'

/** The outcome of one item: returns its result, or throws why it was refused. */
export type Outcome<T> = () => T

/**
 * Returns what does one item: those that come while others are being done are done together, for the end of a transaction
 * costs more than what is done in it. `work` takes at most so many, and does all of them or, when it rejects, nothing; then
 * each is done alone, so that none fails for another's sake.
 */
export function together<In, Out>(
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
      // A database in the same process leaves no time for others to come: what has arrived by now is read first.
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

/** Returns the outcome of an item that was refused. */
export function refused(error: unknown): Outcome<never> {
  return () => {
    throw error
  }
}
