import {isMap, type Values} from '../base/values.ts'

interface UnreadOptions {
  /** What an environment does instead, for messages. */
  readonly instead?: string
  /** Values that are equivalent to none, such as those that the API server fills in. */
  readonly defaults?: Values
}

/**
 * Returns a sentence for each key of a map that has a value but is not read, including keys of later
 * versions.
 */
export function unread(
  map: Values,
  read: ReadonlySet<string>,
  of: string,
  {instead = 'an environment cannot express it', defaults = {}}: UnreadOptions = {},
): readonly string[] {
  return Object.entries(map)
    .filter(([key, value]) => !read.has(key) && hasContent(value) && value !== defaults[key])
    .map(([key]) => `${key} of ${of}: ${instead}`)
}

/**
 * Returns a sentence for a value that should be a string, such as the version `1.10`, which YAML parses as
 * 1.1.
 */
export function notText(value: unknown, of: string): readonly string[] {
  if (typeof value === 'string' || value === undefined || value === null) return []
  return [`${of}: expected a string, got ${JSON.stringify(value)}; put it in quotes`]
}

/** Returns false for a value that is equivalent to an omitted one. */
export function hasContent(value: unknown): boolean {
  const isEmpty =
    (Array.isArray(value) && value.length === 0) || (isMap(value) && Object.keys(value).length === 0)
  return !isEmpty && value !== false && value !== '' && value !== 0 && value !== null && value !== undefined
}
