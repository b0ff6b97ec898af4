import {isDeepStrictEqual} from 'node:util'
import {readYaml} from '../../helm/yaml.ts'
import {isMap} from '../merge.ts'
import type {AuditEntry} from './store.ts'

export type Change = Pick<AuditEntry, 'who' | 'at' | 'before' | 'after'>

/**
 * Who last changed what the deployer says at a path, and when; undefined where the history does not tell. `history` is of
 * one chart in one namespace, newest first. Each text is parsed once, and only as far back as it is asked for.
 */
export function changedBy(history: readonly Change[]): (path: readonly string[]) => Change | undefined {
  const parsed = new Map<string, unknown>()
  const valuesOf = (text: string | null): unknown => {
    if (text === null) return undefined
    if (!parsed.has(text)) parsed.set(text, readYaml(text, {file: 'the history of overrides'}))
    return parsed.get(text)
  }
  return (path) =>
    history.find(
      ({before, after}) =>
        !isDeepStrictEqual(valueAt(valuesOf(before), path), valueAt(valuesOf(after), path)),
    )
}

function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    values,
  )
}
