import {isDeepStrictEqual} from 'node:util'
import {isMap, type Values} from '../../base/values.ts'
import {readYaml} from '../../yaml/yaml.ts'
import type {AuditEntry, StoredOverrides} from './store.ts'

/** Returns the values that are stored; none after a deletion. Throws `KK_YAML` where somebody wrote something else there. */
export function storedValues(stored: StoredOverrides | undefined): Values {
  if (!stored?.userOverrides) return {}
  const {name, namespace, userOverrides} = stored
  return (readYaml(userOverrides, {file: `the stored overrides of ${name} in ${namespace}`}) ?? {}) as Values
}

/** Returns the values that are stored with whether they are encrypted, as a layer has them. */
export function keptValues(stored: StoredOverrides | undefined): {values: Values; sealed: boolean} {
  return {values: storedValues(stored), sealed: stored?.sealed !== undefined}
}

/** Returns the etag by which a later change says what it was made from; undefined where there are no overrides. */
export function etagOf(stored: StoredOverrides | undefined): string | undefined {
  return stored?.userOverrides ? stored.etag : undefined
}

export type HistoryEntry = Pick<AuditEntry, 'who' | 'at' | 'before' | 'after'>

/**
 * Returns what tells who last changed the deployer's value at a path, and when; undefined where the history does not tell.
 * `history` is of one chart in one namespace, newest first. Each text is parsed once, and only as far back as it is asked for.
 */
export function changedBy(
  history: readonly HistoryEntry[],
): (path: readonly string[]) => HistoryEntry | undefined {
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
