import type {FactName, KnownFacts} from '../overrides/facts/facts.ts'
import type {Palette} from './colour.ts'

/** Every fact that is known, with its value and where it comes from; then the names of those that are not. */
export function factsText(
  {facts, sources}: KnownFacts,
  names: readonly FactName[],
  palette: Palette,
): string {
  const known = names.filter((name) => facts[name] !== undefined)
  const rows = known.map((name) => [name, shown(facts[name]), sources[name] ?? ''] as const)
  const [first, second] = [0, 1].map((column) => Math.max(0, ...rows.map((row) => row[column]!.length)))
  const lines = rows.map(
    ([name, value, source]) => `${name.padEnd(first!)}  ${value.padEnd(second!)}  ${palette.quiet(source)}`,
  )
  const unknown = names.filter((name) => facts[name] === undefined)
  if (unknown.length > 0) lines.push(palette.quiet(`unknown: ${unknown.join(', ')}`))
  return lines.join('\n')
}

/** On one line, as YAML would have it. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return value.map(shown).join(', ')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([key, inner]) => `${key}: ${Array.isArray(inner) ? `[${shown(inner)}]` : shown(inner)}`)
    .join(', ')
}
