import type {RunEvent} from '../../../src/run/events.ts'

/** What a run with `--output ndjson` has printed so far: whole lines only. */
export function eventsIn(stdout: string): RunEvent[] {
  const end = stdout.lastIndexOf('\n') + 1
  // What execa returns at the end has lost its last newline.
  const text = stdout.endsWith('}') ? stdout : stdout.slice(0, end)
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RunEvent)
}

/**
 * `release-succeeded keystone`, one line per event that ends a release or says why it does not start, in
 * their order.
 */
export function endings(stdout: string): string[] {
  return eventsIn(stdout).flatMap((event) => {
    const name = 'release' in event ? event.release.split('/')[1] : ''
    if (event.type === 'release-succeeded') return [`${name} ${event.kind}, revision ${event.revision}`]
    if (event.type === 'release-failed') return [`${name} failed: ${event.error.code}`]
    if (event.type !== 'release-skipped') return []
    return [`${name} skipped: ${event.because?.split('/')[1] ?? 'nobody'} ${event.reason}`]
  })
}
