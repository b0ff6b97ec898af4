import type {Values} from '../../base/values.ts'
import {redactLines} from '../../redact/lines.ts'
import {looksSecretPath} from '../../redact/looks-secret.ts'
import {changedPaths} from './changed-paths.ts'

/**
 * A value that differs. Strings and numbers are shown unless their key looks secret; maps and lists are not.
 */
export interface ValueChange {
  /** The path, such as `conf.keystone.DEFAULT.debug`. */
  readonly path: string
  readonly change: 'added' | 'changed' | 'removed'
  readonly before?: ShownValue
  readonly after?: ShownValue
  /** Set if the value is a secret or contains one. */
  readonly masked?: true
}

type ShownValue = string | number | boolean

/** Returns the values that differ, path by path. `redact` removes known secrets from a string. */
export function valueChanges(
  before: Values,
  after: Values,
  redact: (text: string) => string,
): readonly ValueChange[] {
  return changedPaths(before, after).map((path): ValueChange => {
    const [earlier, later] = [at(before, path), at(after, path)]
    const change = isNothing(earlier) ? 'added' : isNothing(later) ? 'removed' : 'changed'
    const named = {path: path.join('.'), change} as const
    if ([earlier, later].some((value) => !isNothing(value) && looksSecretPath(path, value)))
      return {...named, masked: true}
    const [one, other] = [shown(earlier, redact), shown(later, redact)]
    return {...named, ...(one !== undefined && {before: one}), ...(other !== undefined && {after: other})}
  })
}

function shown(value: unknown, redact: (text: string) => string): ShownValue | undefined {
  if (typeof value === 'string') return redactLines(redact(value))
  if (typeof value === 'bigint') return String(value)
  return typeof value === 'number' || typeof value === 'boolean' ? value : undefined
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null
}

function at(values: Values, path: readonly string[]): unknown {
  let node: unknown = values
  for (const key of path) {
    const isMap = typeof node === 'object' && node !== null && Object.hasOwn(node, key)
    node = isMap ? (node as Values)[key] : undefined
  }
  return node
}
