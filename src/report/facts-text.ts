import type {FactName, KnownFacts} from '../overrides/facts/facts.ts'
import type {Palette} from './colour.ts'
import {table} from './table.ts'
import type {View} from './text/view.ts'

/** Returns every known fact with its value and its source, then the names of the unknown ones. */
export function factsText({facts, sources}: KnownFacts, names: readonly FactName[], palette: Palette): View {
  const present = names.filter((name) => facts[name] !== undefined)
  const rows = table(present, [
    (name) => name,
    (name) => shown(facts[name]),
    (name) => palette.quiet(sources[name] ?? ''),
  ])
  const unknown = names.filter((name) => facts[name] === undefined)
  const rest = unknown.length > 0 ? [palette.quiet(`unknown: ${unknown.join(', ')}`)] : []
  return [rows, ...rest]
}

/** Returns a value on one line, as YAML would have it. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([key, inner]) => `${key}: ${Array.isArray(inner) ? `[${shown(inner)}]` : shown(inner)}`)
    .join(', ')
}
