import {isDeepStrictEqual} from 'node:util'
import {isMap, type Values} from '../../base/values.ts'
import {readYaml} from '../../yaml/yaml.ts'
import type {AuditEntry, StoredOverrides} from './store.ts'

/**
 * Returns the stored values; none after a deletion. Throws `KK_YAML` if the database contains invalid YAML.
 */
export function storedValues(stored: StoredOverrides | undefined): Values {
  if (!stored?.userOverrides) return {}
  const {name, namespace, userOverrides} = stored
  return (readYaml(userOverrides, {file: `the stored overrides of ${name} in ${namespace}`}) ?? {}) as Values
}

/** Returns the stored values with whether they are encrypted, in the form of a layer. */
export function keptValues(stored: StoredOverrides | undefined): {values: Values; sealed: boolean} {
  return {values: storedValues(stored), sealed: stored?.sealed !== undefined}
}

/** Returns the etag on which a later change is based; undefined if there are no overrides. */
export function etagOf(stored: StoredOverrides | undefined): string | undefined {
  return stored?.userOverrides ? stored.etag : undefined
}

export type HistoryEntry = Pick<AuditEntry, 'who' | 'at' | 'before' | 'after'>

/**
 * Returns a lookup of the author and time of the last change of the deployer's value at a path; undefined if
 * the history does not show it. `history` is of one chart in one namespace, newest first. Each string is
 * parsed once, and only as far back as necessary.
 */
export function changedBy(
  history: readonly HistoryEntry[],
): (path: readonly string[]) => HistoryEntry | undefined {
  const parsed = new Map<string, unknown>()
  const parseValues = (text: string | null): unknown => {
    if (text === null) return undefined
    if (!parsed.has(text)) parsed.set(text, readYaml(text, {file: 'the history of overrides'}))
    return parsed.get(text)
  }
  return (path) =>
    history.find(
      ({before, after}) =>
        !isDeepStrictEqual(valueAt(parseValues(before), path), valueAt(parseValues(after), path)),
    )
}

function valueAt(values: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    values,
  )
}
