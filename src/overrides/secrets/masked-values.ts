import {markedEntries, markedItems} from '../../helm/redact/looks-secret.ts'
import {redactLines} from '../../helm/redact/redact-lines.ts'

const MASK = '***'

/**
 * A value as it may be shown: what lies under a key that looks secret is masked, and what looks like a secret inside a
 * text. With `isSecret` the key of the value itself is one of those; `under` is that key. Empty texts, nulls and booleans are no secrets.
 */
export function maskedValue(value: unknown, isSecret = false, under = ''): unknown {
  if (value === undefined || value === null || value === '' || typeof value === 'boolean') return value
  if (Array.isArray(value)) {
    return markedItems(value, isSecret).map(([item, isHidden]) => maskedValue(item, isHidden, under))
  }
  if (typeof value === 'object') {
    const entries = markedEntries(value, isSecret, under)
    return Object.fromEntries(entries.map(([key, inner, isInner]) => [key, maskedValue(inner, isInner, key)]))
  }
  if (isSecret) return MASK
  return typeof value === 'string' ? redactLines(value) : value
}

/** A value at a place that is secret whatever stands there: each text, number and boolean is masked. */
export function maskedWhole(value: unknown): unknown {
  if (value === undefined || value === null || value === '') return value
  if (Array.isArray(value)) return value.map(maskedWhole)
  if (typeof value !== 'object') return MASK
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskedWhole(inner)]))
}
