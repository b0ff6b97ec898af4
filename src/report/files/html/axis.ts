/** Steps of a time axis that people can count in, in seconds. */
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14400, 43200, 86400]

const MOST_TICKS = 10

/** The distance of the ticks on an axis of so many seconds. */
export function axisStep(seconds: number): number {
  return STEPS.find((step) => seconds / step <= MOST_TICKS) ?? Math.ceil(seconds / MOST_TICKS / 86400) * 86400
}
