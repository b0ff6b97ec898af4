import {isMap, type Values} from '../base/values.ts'

interface UnreadOptions {
  /** What an environment does without it, for people. */
  readonly instead?: string
  /** Values that mean the same as none: the API server fills them in. */
  readonly defaults?: Values
}

/** Returns a sentence for each key of a map that is not read and says something, whatever later versions add. */
export function unread(
  map: Values,
  read: ReadonlySet<string>,
  of: string,
  {instead = 'an environment has no place for it', defaults = {}}: UnreadOptions = {},
): readonly string[] {
  return Object.entries(map)
    .filter(([key, value]) => !read.has(key) && says(value) && value !== defaults[key])
    .map(([key]) => `${key} of ${of}: ${instead}`)
}

/** Returns a sentence for what should be a text and is none, such as the version `1.10`, which YAML reads as the number 1.1. */
export function notText(value: unknown, of: string): readonly string[] {
  if (typeof value === 'string' || value === undefined || value === null) return []
  return [`${of}: expected a text, got ${JSON.stringify(value)}; put it in quotes`]
}

/** Returns false for what is as good as left out. */
export function says(value: unknown): boolean {
  const isEmpty =
    (Array.isArray(value) && value.length === 0) || (isMap(value) && Object.keys(value).length === 0)
  return !isEmpty && value !== false && value !== '' && value !== 0 && value !== null && value !== undefined
}
