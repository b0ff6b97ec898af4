const UNITS: Readonly<Record<string, number>> = {h: 3600, m: 60, s: 1}

/**
 * A time such as `20m`, `1h30m` or `90s`: more than nothing, and in all less than Node's timers count, which is 596 hours
 * and would end at once beyond. As a pattern, for the schema that is published says the same.
 */
export const TIME_PATTERN = '^(?=[0-9])(?!(0+[hms])+$)([0-3]?[0-9]{1,2}h)?([0-9]{1,4}m)?([0-9]{1,5}s)?$'
/** What is expected, for people. */
export const TIME_TITLE = 'a time such as 20m, 1h30m or 90s, longer than 0s and at most 399h'

/** Seconds of a time as `TIME_PATTERN` has it; undefined for anything else. */
export function seconds(text: string): number | undefined {
  if (!new RegExp(TIME_PATTERN).test(text)) return undefined
  const parts = [...text.matchAll(/([0-9]+)([hms])/g)]
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit as string]!, 0)
}

/** The time of so many seconds, as `TIME_PATTERN` has it; undefined where none can be stated. */
export function timeOf(count: number): string | undefined {
  const text =
    count < 100_000 ? `${count}s` : `${Math.floor(count / 3600)}h${Math.floor((count % 3600) / 60)}m`
  return seconds(text) === undefined ? undefined : text
}
