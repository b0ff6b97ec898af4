interface WorkQueueOptions {
  /**
   * Resolves with the milliseconds after which the key is to be worked on again; undefined if it is done with. It says
   * again and again how long nothing may be heard of it.
   */
  readonly work: (key: string, heartbeat: Heartbeat) => Promise<number | undefined>
  /** Told of each failure; the key is worked on again later, each time later than before. */
  readonly onError: (key: string, error: unknown) => void
}

/** Says that work goes on, and that nothing more may be heard of it for so many milliseconds. */
export type Heartbeat = (milliseconds: number) => void

export interface WorkQueue {
  /** Asks for work on a key. While it is worked on, it is worked on once more afterwards, however often it is asked for. */
  add(key: string): void
  /** How many keys are worked on, or are to be at once. */
  depth(): number
  /** A key of which nothing was heard for longer than its work has said: it hangs. */
  stuck(): string | undefined
  /** Starts nothing more, and resolves when what is worked on has ended. */
  close(): Promise<void>
}

const INITIAL_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 300_000
/** Until work has said otherwise. */
const DEFAULT_HEARTBEAT_DEADLINE_MS = 600_000

interface Entry {
  /** The work under way. */
  running?: Promise<void> | undefined
  isQueued: boolean
  failures: number
  timer?: NodeJS.Timeout | undefined
  /** When something must have been heard of the work under way, by `performance.now`. */
  deadline: number
}

/** Returns a queue that works on different keys at once, and never twice on one. */
export function openWorkQueue({work, onError}: WorkQueueOptions): WorkQueue {
  const entries = new Map<string, Entry>()
  let isClosed = false

  function proceed(key: string, entry: Entry): void {
    if (isClosed || entry.running || !entry.isQueued) return
    clearTimeout(entry.timer)
    entry.timer = undefined
    entry.isQueued = false
    entry.running = attempt(key, entry).finally(() => {
      entry.running = undefined
      if (!entry.timer && !entry.isQueued) entries.delete(key)
      proceed(key, entry)
    })
  }

  async function attempt(key: string, entry: Entry): Promise<void> {
    const heartbeat: Heartbeat = (milliseconds) => {
      entry.deadline = performance.now() + milliseconds
    }
    heartbeat(DEFAULT_HEARTBEAT_DEADLINE_MS)
    const pause = await work(key, heartbeat).then(
      (next) => {
        entry.failures = 0
        return next
      },
      (error: unknown) => {
        onError(key, error)
        return withJitter(Math.min(MAX_BACKOFF_MS, INITIAL_BACKOFF_MS * 2 ** entry.failures++))
      },
    )
    if (pause === undefined) return
    entry.timer = setTimeout(() => add(key), pause)
    entry.timer.unref()
  }

  function add(key: string): void {
    const entry = entries.get(key) ?? {isQueued: false, failures: 0, deadline: 0}
    entries.set(key, entry)
    entry.isQueued = true
    proceed(key, entry)
  }

  return {
    add,
    depth: () => [...entries.values()].filter(({running, isQueued}) => running || isQueued).length,
    stuck: () => [...entries].find(([, {running, deadline}]) => running && deadline < performance.now())?.[0],
    async close() {
      isClosed = true
      for (const {timer} of entries.values()) clearTimeout(timer)
      await Promise.all([...entries.values()].map(({running}) => running))
    },
  }
}

/** Returns between half and all of a pause, so that what failed together is not tried again together. */
function withJitter(pause: number): number {
  return pause * (0.5 + Math.random() / 2)
}
