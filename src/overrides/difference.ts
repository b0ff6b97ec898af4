import {isDeepStrictEqual} from 'node:util'
import type {Values} from '../release.ts'
import {isMap} from './merge.ts'

/**
 * What has to be merged over `below` to get `above`, where `above` has every key of `below`: maps hold only the keys
 * that differ, a list that differs is there in full.
 */
export function difference(below: Values, above: Values): Values {
  const entries = Object.entries(above).flatMap(([key, value]): [string, unknown][] => {
    const lower = Object.hasOwn(below, key) ? below[key] : undefined
    if (isMap(lower) && isMap(value)) {
      const inner = difference(lower, value)
      return Object.keys(inner).length > 0 ? [[key, inner]] : []
    }
    return Object.hasOwn(below, key) && isDeepStrictEqual(lower, value) ? [] : [[key, value]]
  })
  return Object.fromEntries(entries)
}
