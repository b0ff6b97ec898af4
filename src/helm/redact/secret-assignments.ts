import {saysSecret} from './looks-secret.ts'
import {isPlaceholder} from './placeholder.ts'

/** `password =`, `"token":` and `--db-password=`, with what comes before the value. */
const ASSIGNMENT = /(?<![\w.-])([\w.-]+)[\\"']*\s*[:=]\s*(?=\S)/g
/** `--db-password WORD`, as commands have it. */
const FLAG = /(?<![\w-])--?([A-Za-z][\w-]+)\s+(?!-)("[^"]*"|'[^']*'|\S+)/g
/** Before the `key` of a reference that stands on one line. */
const REFERENCE = /KeyRef["']?\s*:\s*\{[^}]*$/

/** A line with its secrets replaced, and the one that ends it, with its place. */
export interface Assigned {
  readonly line: string
  readonly secret?: string
  readonly at?: number
}

/** Replaces what follows a key that looks secret up to the end of the line, and the words after flags that do. */
export function replaceAssigned(line: string, replace: (secret: string) => string): Assigned {
  for (const {0: start, 1: key = '', index} of line.matchAll(ASSIGNMENT)) {
    const at = index + start.length
    const secret = line.slice(at)
    if (!saysSecret(key, secret) || isPlaceholder(secret) || REFERENCE.test(line.slice(0, index))) continue
    return {line: replaceFlags(line.slice(0, at), replace) + replace(secret), secret, at}
  }
  return {line: replaceFlags(line, replace)}
}

function replaceFlags(line: string, replace: (secret: string) => string): string {
  if (!line.includes('-')) return line
  return line.replace(FLAG, (whole: string, flag: string, word: string) =>
    saysSecret(flag, word) && !isPlaceholder(word)
      ? whole.slice(0, whole.length - word.length) + replace(word)
      : whole,
  )
}
