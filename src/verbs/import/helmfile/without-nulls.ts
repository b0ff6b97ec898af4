import {isMap} from '../../../overrides/merge.ts'

/** Values of releases, to whom null says something. */
const KEPT = new Set(['values', 'renderedvalues'])

/** The same without keys that are null: to helmfile they say nothing. */
export function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isMap(value)) return value
  const stated = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(stated.map(([key, inner]) => [key, KEPT.has(key) ? inner : withoutNulls(inner)]))
}
