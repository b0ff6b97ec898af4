import {looksSecret, looksSecretPath, saysSecret} from './looks-secret.ts'
import {isNoSecretWord, isPlaceholder} from './placeholder.ts'

/** `password =`, `"token":` and `--db-password=`, with what comes before the value. */
const ASSIGNMENT = /(?<![\w.-])([\w.-]+)[\\"']*\s*[:=]\s*(?=\S)/g
/** `--db-password WORD`, as commands have it. */
const FLAG = /(?<![\w-])--?([A-Za-z][\w-]+)(?:["'],)?\s+(?!["']?-)("[^"]*"|'[^']*'|\S+)/g
/** Before the `key` of a reference that stands on one line. */
const REFERENCE = /KeyRef["']?\s*:\s*\{[^}]*$/

/** What a Python module offers, as `keystonemiddleware.auth_token:filter_factory` in every api-paste.ini. */
const ENTRY_POINT = /^[\w.]+:(?:\w+_)?(?:app|application|factory|main)\b/

/** So far before a key is looked: lines can be long. */
const AHEAD = 300
/** The name of a variable that stands on the same line. */
const NAME = /\bname["']?\s*:\s*["']?([\w.-]+)["']?\s*,\s*["']?$/

/** A line with its secrets replaced, and the one that ends it, with its place. */
export interface Assigned {
  readonly line: string
  readonly secret?: string
  readonly key?: string
  readonly at?: number
}

/** Replaces what follows a key that looks secret up to the end of the line, and the words after flags that do. */
export function replaceAssigned(line: string, replace: (secret: string) => string): Assigned {
  for (const {0: start, 1: key = '', index} of line.matchAll(ASSIGNMENT)) {
    const at = index + start.length
    const secret = line.slice(at)
    const before = line.slice(Math.max(0, index - AHEAD), index)
    if (!isSecretKey(key, secret, before) || isPlaceholder(secret) || REFERENCE.test(before)) continue
    if (key.includes('.') && ENTRY_POINT.test(start + secret)) continue
    return {line: replaceFlags(line.slice(0, at), replace) + replace(secret), secret, key, at}
  }
  return {line: replaceFlags(line, replace)}
}

/** Also a place, `passwords.admin=`, and the `value` of a variable that is named before it: `{name: DB_PASSWORD, value: …}`. */
function isSecretKey(key: string, secret: string, before: string): boolean {
  if (key === 'value') return looksSecret(NAME.exec(before)?.[1] ?? '')
  return saysSecret(key, secret) || (key.includes('.') && looksSecretPath(key.split('.'), secret))
}

function replaceFlags(line: string, replace: (secret: string) => string): string {
  if (!line.includes('-')) return line
  return line.replace(FLAG, (whole: string, flag: string, word: string) =>
    saysSecret(flag, word) && !isNoSecretWord(word)
      ? whole.slice(0, whole.length - word.length) + replace(word)
      : whole,
  )
}
