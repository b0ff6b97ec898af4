interface QueueOptions {
  /**
   * Resolves with the milliseconds after which the key is to be worked on again; undefined if it is done with. It says
   * again and again how long nothing may be heard of it.
   */
  readonly work: (key: string, quietFor: QuietFor) => Promise<number | undefined>
  /** Told of each failure; the key is worked on again later, each time later than before. */
  readonly onError: (key: string, error: unknown) => void
}

/** Says that work goes on, and that nothing more may be heard of it for so many milliseconds. */
export type QuietFor = (milliseconds: number) => void

export interface Queue {
  /** Asks for work on a key. While it is worked on, it is worked on once more afterwards, however often it is asked for. */
  add(key: string): void
  /** How many keys are worked on, or are to be at once. */
  depth(): number
  /** A key of which nothing was heard for longer than its work has said: it hangs. */
  overdue(): string | undefined
  /** Starts nothing more, and resolves when what is worked on has ended. */
  close(): Promise<void>
}

const FIRST_PAUSE = 1_000
const LONGEST_PAUSE = 300_000
/** Until work has said otherwise. */
const QUIET = 600_000

interface Entry {
  /** The work under way. */
  working?: Promise<void> | undefined
  isAsked: boolean
  failures: number
  timer?: NodeJS.Timeout | undefined
  /** When something must have been heard of the work under way, by `performance.now`. */
  heardBy: number
}

/** Returns a queue that works on different keys at once, and never twice on one. */
export function openQueue({work, onError}: QueueOptions): Queue {
  const entries = new Map<string, Entry>()
  let isClosed = false

  function proceed(key: string, entry: Entry): void {
    if (isClosed || entry.working || !entry.isAsked) return
    clearTimeout(entry.timer)
    entry.timer = undefined
    entry.isAsked = false
    entry.working = attempt(key, entry).finally(() => {
      entry.working = undefined
      if (!entry.timer && !entry.isAsked) entries.delete(key)
      proceed(key, entry)
    })
  }

  async function attempt(key: string, entry: Entry): Promise<void> {
    const quietFor: QuietFor = (milliseconds) => {
      entry.heardBy = performance.now() + milliseconds
    }
    quietFor(QUIET)
    const pause = await work(key, quietFor).then(
      (next) => {
        entry.failures = 0
        return next
      },
      (error: unknown) => {
        onError(key, error)
        return spread(Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** entry.failures++))
      },
    )
    if (pause === undefined) return
    entry.timer = setTimeout(() => add(key), pause)
    entry.timer.unref()
  }

  function add(key: string): void {
    const entry = entries.get(key) ?? {isAsked: false, failures: 0, heardBy: 0}
    entries.set(key, entry)
    entry.isAsked = true
    proceed(key, entry)
  }

  return {
    add,
    depth: () => [...entries.values()].filter(({working, isAsked}) => working || isAsked).length,
    overdue: () => [...entries].find(([, {working, heardBy}]) => working && heardBy < performance.now())?.[0],
    async close() {
      isClosed = true
      for (const {timer} of entries.values()) clearTimeout(timer)
      await Promise.all([...entries.values()].map(({working}) => working))
    },
  }
}

/** Returns between half and all of a pause, so that what failed together is not tried again together. */
function spread(pause: number): number {
  return pause * (0.5 + Math.random() / 2)
}
