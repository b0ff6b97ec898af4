import type {Values} from '../../../release.ts'
import {given} from './compose.ts'

/** What runs on every compute node is renewed on a tenth of them at once: one by one would take a night. */
export function daemonPace(computes: number | undefined, daemons: readonly string[]): Values | undefined {
  return given(computes, (count) => {
    if (count === 0) return undefined
    const max_unavailable = Math.max(1, Math.floor(count / 10))
    const pace = {enabled: true, min_ready_seconds: 0, max_unavailable}
    return {
      pod: {
        lifecycle: {
          upgrades: {daemonsets: Object.fromEntries(daemons.map((daemon) => [daemon, pace]))},
        },
      },
    }
  })
}
