import {configuresSecrets, isNeverSecret, looksSecret, namesSecret} from './looks-secret.ts'
import {isPlainWord} from './placeholder.ts'
import {isPartOfThing, isReference} from './secret-names.ts'
import {FLAG_WORD} from './text-rule.ts'

/** Returns the replacement of a string, a number, a boolean or null; `isSecret`: its position is secret. */
type ReplaceLeaf = (leaf: unknown, isSecret: boolean) => unknown

interface Position {
  readonly isSecret: boolean
  /** The key of the value, and the key above it. */
  readonly under: string
  readonly above?: string
}

/** Returns a value with each leaf replaced. A leaf is secret if a key above it looks secret. */
export function mapLeaves(
  value: unknown,
  replaceLeaf: ReplaceLeaf,
  {isSecret, under, above = ''}: Position = {isSecret: false, under: ''},
): unknown {
  if (Array.isArray(value)) {
    const items = markedItems(value, isSecret)
    return items.map(([item, isHidden]) => mapLeaves(item, replaceLeaf, {isSecret: isHidden, under, above}))
  }
  if (typeof value !== 'object' || value === null) return replaceLeaf(value, isSecret)
  const entries = markedEntries(value, {isSecret, under, above})
  return Object.fromEntries(
    entries.map(([key, inner, isHidden]) => [
      key,
      mapLeaves(inner, replaceLeaf, {isSecret: isHidden, under: key, above: under}),
    ]),
  )
}

/** Returns the entries of a map, each with whether it is secret. */
function markedEntries(
  map: object,
  {isSecret, under, above = ''}: Position,
): (readonly [key: string, value: unknown, isSecret: boolean])[] {
  return Object.entries(map).map(([key, value]) => {
    const isBelow = isSecret && !configuresSecrets(key)
    const isName =
      isReference(under, key) || isPartOfThing(above, key, value) || isNeverSecret(under, key, value)
    const isMarked = namesSecret(key, value, {section: under, siblings: map}) || isPairedValue(key, map)
    return [key, value, !isName && (isBelow || isMarked)] as const
  })
}

/** Returns true for the value of a pair such as `{key: DB_PASSWORD, value: …}`. */
function isPairedValue(key: string, map: object): boolean {
  return key === 'value' && 'key' in map && typeof map.key === 'string' && looksSecret(map.key)
}

/**
 * Returns the items of a list, each with whether it is secret, including the word after `--password` in a
 * command.
 */
function markedItems(
  list: readonly unknown[],
  isSecret: boolean,
): (readonly [item: unknown, isSecret: boolean])[] {
  return list.map((item, at) => [item, isSecret || isFlagged(list[at - 1], item)] as const)
}

const FLAG_WORDS = new RegExp(FLAG_WORD)

function isFlagged(flag: unknown, word: unknown): boolean {
  if (typeof flag !== 'string' || typeof word !== 'string') return false
  const [, name] = FLAG_WORDS.exec(flag) ?? []
  return name !== undefined && looksSecret(name) && !word.startsWith('-') && !isPlainWord(word)
}
