/** The values of a chart: plain data, as read from YAML or JSON. */
export interface Values {
  readonly [key: string]: unknown
}

/** Returns true for a map of values, false for a list, a scalar or nothing. */
export function isMap(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns true if there are no keys. */
export function isEmpty(values: Values): boolean {
  return Object.keys(values).length === 0
}

/**
 * Returns the string at a path; an integer as helm renders it. Undefined if missing, of another type or
 * empty.
 */
export function textAt(values: Values, path: readonly string[]): string | undefined {
  const value = path.reduce<unknown>((inner, key) => (isMap(inner) ? inner[key] : undefined), values)
  if (Number.isSafeInteger(value)) return String(value)
  return typeof value === 'string' && value !== '' ? value : undefined
}
