const UNITS: Readonly<Record<string, number>> = {h: 3600, m: 60, s: 1}

/**
 * The pattern of a duration such as `20m`, `1h30m` or `90s`. It allows more than 0 s and less than the 596
 * hours that Node's timers can count; a longer timer would fire at once. It is a pattern so that the
 * published schema can contain it.
 */
export const TIME_PATTERN = '^(?=[0-9])(?!(0+[hms])+$)([0-3]?[0-9]{1,2}h)?([0-9]{1,4}m)?([0-9]{1,5}s)?$'
/** The description of such a duration in messages. */
export const TIME_TITLE = 'a time such as 20m, 1h30m or 90s, longer than 0s and at most 399h'

/** Returns the seconds of a duration that matches `TIME_PATTERN`; undefined for any other string. */
export function seconds(text: string): number | undefined {
  if (!new RegExp(TIME_PATTERN).test(text)) return undefined
  const parts = [...text.matchAll(/([0-9]+)([hms])/g)]
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit as string]!, 0)
}

/** Formats seconds as a duration of `TIME_PATTERN`; undefined if the pattern does not allow the duration. */
export function timeOf(count: number): string | undefined {
  const text =
    count < 100_000 ? `${count}s` : `${Math.floor(count / 3600)}h${Math.floor((count % 3600) / 60)}m`
  return seconds(text) === undefined ? undefined : text
}
