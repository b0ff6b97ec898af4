interface WorkQueueOptions {
  /**
   * Processes a key. Resolves with the milliseconds after which the key is requeued; undefined if it is not.
   * It calls `heartbeat` while it makes progress.
   */
  readonly work: (key: string, heartbeat: Heartbeat) => Promise<number | undefined>
  /** Called for each failure; the key is requeued with exponential backoff. */
  readonly onError: (key: string, error: unknown) => void
}

/**
 * Reports progress: the next heartbeat is due within this many milliseconds, else the work counts as stuck.
 */
export type Heartbeat = (milliseconds: number) => void

export interface WorkQueue {
  /**
   * Enqueues a key. A key that is being processed is processed once more afterwards, however often it is
   * added.
   */
  add(key: string): void
  /** Returns the number of keys that are queued or being processed. */
  depth(): number
  /** Returns a key whose heartbeat is overdue. */
  stuck(): string | undefined
  /** Stops processing; resolves when running work has ended. */
  close(): Promise<void>
}

const INITIAL_BACKOFF_MS = 1_000
const MAX_BACKOFF_MS = 300_000
/** Until the first heartbeat. */
const DEFAULT_HEARTBEAT_DEADLINE_MS = 600_000

interface Entry {
  /** The work in progress. */
  running?: Promise<void> | undefined
  isQueued: boolean
  failures: number
  timer?: NodeJS.Timeout | undefined
  /** When the next heartbeat is due, by `performance.now`. */
  deadline: number
}

/** Returns a queue that processes keys concurrently, and each key at most once at a time. */
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

/**
 * Adds jitter: returns 50% to 100% of a pause, so that keys that failed together are not retried together.
 */
function withJitter(pause: number): number {
  return pause * (0.5 + Math.random() / 2)
}
