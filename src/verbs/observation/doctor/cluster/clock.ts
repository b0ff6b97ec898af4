import type {Check, Found} from '../finding.ts'

const TOLERABLE_SECONDS = 30

/** Deadlines in the cluster are written by the clocks of operators' machines. */
export const clockCheck: Check = {
  name: 'clock',
  needs: 'cluster',
  fine: "this machine's clock agrees with the API server's",
  find: async ({cluster}) => judgeClock(await cluster.diagnosis.clockAhead()),
}

export function judgeClock(ahead: number): readonly Found[] {
  const seconds = Math.abs(ahead)
  if (seconds <= TOLERABLE_SECONDS) return []
  const where = ahead > 0 ? 'ahead of' : 'behind'
  const what = `this machine's clock is ${seconds} s ${where} the API server's: deadlines that others write are misread`
  return [{level: 'warning', what, advice: 'timedatectl set-ntp true'}]
}
