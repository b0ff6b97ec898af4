import {mapLeaves} from '../../helm/redact/map-leaves.ts'
import {redactLines} from '../../helm/redact/redact-lines.ts'

const MASK = '***'

/**
 * A value as it may be shown: what lies under a key that looks secret is masked, and what looks like a secret inside a
 * text. With `isSecret` the key of the value itself is one of those; `under` is that key. Empty texts, nulls and booleans are no secrets.
 */
export function maskedValue(value: unknown, isSecret = false, under = ''): unknown {
  return mapLeaves(value, maskedLeaf, {isSecret, under})
}

function maskedLeaf(leaf: unknown, isSecret: boolean): unknown {
  if (leaf === undefined || leaf === null || leaf === '' || typeof leaf === 'boolean') return leaf
  if (isSecret) return MASK
  return typeof leaf === 'string' ? redactLines(leaf) : leaf
}

/** A value at a place that is secret whatever stands there: each text, number and boolean is masked. */
export function maskedWhole(value: unknown): unknown {
  if (value === undefined || value === null || value === '') return value
  if (Array.isArray(value)) return value.map(maskedWhole)
  if (typeof value !== 'object') return MASK
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, maskedWhole(inner)]))
}
