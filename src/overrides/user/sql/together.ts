import {KkError} from '../../../errors.ts'

/** Runs a body in a transaction. Rejects with what the body throws, and nothing of it is written then. */
export type Transact<Db> = <T>(body: (db: Db) => Promise<T>) => Promise<T>

/** A body that throws a `KkError` must have written nothing, and one that is run again must do the same. */
export type Together<Db> = <T>(order: string, body: (db: Db) => Promise<T>) => Promise<T>

interface Waiting<Db> {
  readonly order: string
  /** Its outcome is told when the transaction has ended. */
  prepare(db: Db): Promise<() => void>
  alone(): Promise<void>
}

/**
 * What comes while a transaction is under way is done together, in the next one: the end of a transaction costs more
 * than what is done in it. Bodies go by their order, so that two that write at once wait for each other instead of
 * blocking each other. Where one fails, all are done again, each alone.
 */
export function together<Db>(transact: Transact<Db>): Together<Db> {
  let waiting: Waiting<Db>[] = []
  let isWorking = false

  async function work(): Promise<void> {
    isWorking = true
    while (waiting.length > 0) {
      const group = waiting.toSorted((a, b) => (a.order < b.order ? -1 : 1))
      waiting = []
      const outcomes = group.length > 1 ? await inOne(transact, group) : undefined
      if (outcomes) for (const tell of outcomes) tell()
      else for (const each of group) await each.alone()
    }
    isWorking = false
  }

  return <T>(order: string, body: (db: Db) => Promise<T>) =>
    new Promise<T>((resolve, reject) => {
      waiting.push({
        order,
        async prepare(db) {
          try {
            const result = await body(db)
            return () => resolve(result)
          } catch (error) {
            if (!(error instanceof KkError)) throw error
            return () => reject(error)
          }
        },
        alone: () => transact(body).then(resolve, reject),
      })
      if (!isWorking) void work()
    })
}

async function inOne<Db>(transact: Transact<Db>, group: readonly Waiting<Db>[]) {
  try {
    return await transact(async (db) => {
      const outcomes: (() => void)[] = []
      for (const each of group) outcomes.push(await each.prepare(db))
      return outcomes
    })
  } catch {
    return undefined
  }
}
