const UNITS: Readonly<Record<string, number>> = {h: 3600, m: 60, s: 1}

/** Seconds of a time such as `20m`, `1h30m` or `90s`; undefined for anything else. */
export function seconds(text: string): number | undefined {
  if (!/^(?=[0-9])([0-9]+h)?([0-9]+m)?([0-9]+s)?$/.test(text)) return undefined
  const parts = [...text.matchAll(/([0-9]+)([hms])/g)]
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit as string]!, 0)
}
