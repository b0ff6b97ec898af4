import {mergeValues} from '../../../base/merge.ts'
import {isEmpty, isMap, type Values} from '../../../base/values.ts'

/** Returns the parts of a chart's overrides merged; a later part wins, and empty maps are omitted. */
export function compose(...parts: readonly (Values | undefined)[]): Values {
  return withoutEmpty(mergeValues(...parts.filter((part) => part !== undefined)))
}

function withoutEmpty(values: Values): Values {
  const entries = Object.entries(values)
    .map(([key, value]) => [key, isMap(value) ? withoutEmpty(value) : value] as const)
    .filter(([, value]) => value !== undefined && !(isMap(value) && isEmpty(value)))
  return Object.fromEntries(entries)
}

/** Returns the part that depends on one fact; undefined if the fact is not known. */
export function ifKnown<Fact>(
  fact: Fact | undefined,
  part: (fact: Fact) => Values | undefined,
): Values | undefined {
  return fact === undefined ? undefined : part(fact)
}
