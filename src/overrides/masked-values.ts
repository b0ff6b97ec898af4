import {looksSecret} from '../helm/redact/redact.ts'

const MASK = '***'

/**
 * A value as it may be shown: what lies under a key that looks secret is masked, and passwords in URLs. With `isSecret`
 * the key of the value itself is one of those. Empty texts and nulls are no secrets.
 */
export function maskedValue(value: unknown, isSecret = false): unknown {
  if (value === undefined || value === null || value === '') return value
  if (Array.isArray(value)) return value.map((item) => maskedValue(item, isSecret))
  if (typeof value === 'object') {
    const entries = Object.entries(value)
    return Object.fromEntries(
      entries.map(([key, inner]) => [key, maskedValue(inner, isSecret || looksSecret(key))]),
    )
  }
  if (isSecret) return MASK
  return typeof value === 'string' ? value.replaceAll(/(:\/\/[^\s/@:]*:)[^\s@]+@/g, `$1${MASK}@`) : value
}
