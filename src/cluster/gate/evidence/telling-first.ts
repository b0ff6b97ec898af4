import type {Blame} from '../../cluster.ts'

/** The container has ended at least once. */
export const ENDED = /^(CrashLoopBackOff|Error|OOMKilled|ContainerCannotRun|DeadlineExceeded)$/

/** What has ended before what merely waits, which may be for just that; otherwise in the same order. */
export function tellingFirst(blames: readonly Blame[]): readonly Blame[] {
  const hasEnded = ({reason}: Blame) => ENDED.test(reason ?? '')
  return [...blames.filter(hasEnded), ...blames.filter((blame) => !hasEnded(blame))]
}
