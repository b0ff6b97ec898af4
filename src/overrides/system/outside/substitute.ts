import type {Values} from '../../../release.ts'
import type {Facts} from '../../facts/facts.ts'
import {isMap} from '../../merge.ts'

/** `$(controllers)`, `$(ceph.monitors)`; or `$$(`, which is text. */
const REFERENCE = /\$\$\(|\$\(([A-Za-z.]+)\)/g
/** A `$(` without a name and an end, behind those that are text. */
const BROKEN = /\$\$\(|(\$\()(?![A-Za-z.]+\))/g
const WHOLE = /^\$\(([A-Za-z.]+)\)$/

/**
 * The values with facts in place of `$(fact)`. A text that is nothing but a reference becomes the fact itself, a number
 * or a list; inside of a longer text it becomes text. A key whose fact nobody knows is left out.
 */
export function substitute(values: Values, facts: Facts): Values {
  return substituteIn(values, facts) as Values
}

function substituteIn(value: unknown, facts: Facts): unknown {
  if (typeof value === 'string') return substituteText(value, facts)
  if (Array.isArray(value)) {
    return value.map((item) => substituteIn(item, facts)).filter((item) => item !== undefined)
  }
  if (!isMap(value)) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, substituteIn(inner, facts)] as const)
  return Object.fromEntries(entries.filter(([, inner]) => inner !== undefined))
}

function substituteText(text: string, facts: Facts): unknown {
  const [, whole] = WHOLE.exec(text) ?? []
  if (whole !== undefined) return factAt(facts, whole)
  if (namesIn(text).some((name) => factAt(facts, name) === undefined)) return undefined
  return text.replace(REFERENCE, (_match, name?: string) =>
    name === undefined ? '$(' : textOf(factAt(facts, name)),
  )
}

/** What a text refers to. */
export function namesIn(text: string): readonly string[] {
  return [...text.matchAll(REFERENCE)].flatMap(([, name]) => name ?? [])
}

/** Whether a text has a `$(` that refers to nothing: `$(region`, `$(hostname -f)`. */
export function hasBrokenReference(text: string): boolean {
  return [...text.matchAll(BROKEN)].some(([, broken]) => broken !== undefined)
}

function factAt(facts: Facts, name: string): unknown {
  return name.split('.').reduce<unknown>((at, key) => {
    return isMap(at) && Object.hasOwn(at, key) ? at[key] : undefined
  }, facts)
}

function textOf(value: unknown): string {
  if (Array.isArray(value)) return value.join(',')
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
