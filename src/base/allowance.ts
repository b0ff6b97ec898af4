/** A number of pods, or a share of them: `2`, `5%`. */
export type Allowance = number | `${number}%`

/**
 * Returns how many of these pods need not be available, rounded down: at least one pod must be. Of no
 * allowance, none.
 */
export function allowedPods(allowance: Allowance | undefined, pods: number): number {
  const allowed =
    typeof allowance === 'string' ? Math.floor((Number.parseFloat(allowance) / 100) * pods) : (allowance ?? 0)
  return Math.max(0, Math.min(allowed, pods - 1))
}
