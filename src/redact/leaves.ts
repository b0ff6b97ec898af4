import {isNoSecret, isSetting, looksSecret, saysSecret} from './looks-secret.ts'
import {isNoSecretWord} from './placeholder.ts'
import {isPartOfThing, isReference} from './secret-names.ts'
import {FLAG_WORD} from './text-rule.ts'

/** Returns what takes the place of a text, a number, a boolean or null; `isSecret` tells what its place says of it. */
type OfLeaf = (leaf: unknown, isSecret: boolean) => unknown

interface Standing {
  readonly isSecret: boolean
  /** The key that it stands under, and the one above that. */
  readonly under: string
  readonly above?: string
}

/** Returns a value with each of its leaves replaced: those below a key that looks secret, and all others. */
export function mapLeaves(
  value: unknown,
  ofLeaf: OfLeaf,
  {isSecret, under, above = ''}: Standing = {isSecret: false, under: ''},
): unknown {
  if (Array.isArray(value)) {
    const items = markedItems(value, isSecret)
    return items.map(([item, isHidden]) => mapLeaves(item, ofLeaf, {isSecret: isHidden, under, above}))
  }
  if (typeof value !== 'object' || value === null) return ofLeaf(value, isSecret)
  const entries = markedEntries(value, {isSecret, under, above})
  return Object.fromEntries(
    entries.map(([key, inner, isHidden]) => [
      key,
      mapLeaves(inner, ofLeaf, {isSecret: isHidden, under: key, above: under}),
    ]),
  )
}

/** The entries of a map, each with whether it is secret. */
function markedEntries(
  map: object,
  {isSecret, under, above = ''}: Standing,
): (readonly [key: string, value: unknown, isSecret: boolean])[] {
  return Object.entries(map).map(([key, value]) => {
    const isBelow = isSecret && !isSetting(key)
    const isName =
      isReference(under, key) || isPartOfThing(above, key, value) || isNoSecret(under, key, value)
    const isSaid = saysSecret(key, value, {section: under, around: map}) || isPairedValue(key, map)
    return [key, value, !isName && (isBelow || isSaid)] as const
  })
}

/** Of a pair such as `{key: DB_PASSWORD, value: …}`. */
function isPairedValue(key: string, map: object): boolean {
  return key === 'value' && 'key' in map && typeof map.key === 'string' && looksSecret(map.key)
}

/** The items of a list, each with whether it is secret, also as the word after `--password` in a command. */
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
  return name !== undefined && looksSecret(name) && !word.startsWith('-') && !isNoSecretWord(word)
}
