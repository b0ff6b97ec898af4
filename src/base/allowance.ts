/** A number of pods, or a share of them: `2`, `5%`. */
export type Allowance = number | `${number}%`

/**
 * Returns how many of these pods need not be available, rounded down: at least one pod must be. Of no
 * allowance, none.
 */
export function allowedPods(allowance: Allowance | undefined, pods: number): number {
  return Math.max(0, Math.min(scaledPods(allowance ?? 0, pods, Math.floor), pods - 1))
}

/**
 * Returns a number of pods, or a share of them in percent, rounded (Kubernetes 1.36: util/intstr
 * GetScaledValueFromIntOrPercent).
 */
export function scaledPods(value: number | string, pods: number, round: (share: number) => number): number {
  return typeof value === 'number' ? value : round((Number.parseFloat(value) * pods) / 100)
}
