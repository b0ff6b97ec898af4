import {looksSecret, saysSecret} from './looks-secret.ts'
import type {Assigned} from './secret-assignments.ts'

/** What a line leaves open for those below it. */
export type Opening =
  /** A secret text, whatever it looks like. */
  | {readonly kind: 'block'; readonly indent: number}
  /** A secret of its own line, a list, or a map of secrets. */
  | {readonly kind: 'below'; readonly indent: number; readonly key: string}
  /** A reference to a Secret. */
  | {readonly kind: 'reference'; readonly indent: number; readonly key: string}
  /** A secret that may go on in lines that are indented more. */
  | {readonly kind: 'continued'; readonly indent: number}
  /** A secret in quotes that goes on until they are closed. */
  | {readonly kind: 'quoted'; readonly quote: RegExp}
  /** `name: DB_PASSWORD`, whose `value` stands beside it. */
  | {readonly kind: 'named'; readonly indent: number}
  /** `- --password`, whose word is the next item. */
  | {readonly kind: 'flag'}
  /** `[passwords]` of an INI file, up to the next section. */
  | {readonly kind: 'section'; readonly key: string}

/** `password:` and nothing more in its line but the sign of a block text, or a bracket; with all that stands before the key. */
const OPENING = /^(\s*(?:-\s+)*)["']?([\w.-]+)["']?\s*[:=]\s*(?:([|>][-+\d]*|[{[])\s*)?(?:#.*)?$/
/** The name of a variable, as pods list them. */
const NAMED = /^(\s*(?:-\s+)*)["']?name["']?\s*:\s*["']?([\w.-]+)["']?,?\s*$/
const LISTED_FLAG = /^\s*-\s+["']?--?([A-Za-z][\w-]+)["']?\s*$/
/** Other sections have settings, too: `[token]` of keystone. */
const SECTION = /^\s*\[([\w.-]*pass(?:word)?s)\]\s*$/i
/** A key at the beginning of its line, whose value may go on in the next. */
const LEADING = /^\s*(?:-\s+)*["']?[\w.-]+["']?\s*[:=]\s*$/
/** Escaped where a text stands inside another. */
const QUOTES = [/(?<!\\)"/g, /'/g, /\\"/g] as const

/** What a line without a secret of its own opens. */
export function openingIn(line: string): Opening | undefined {
  const [, flag] = LISTED_FLAG.exec(line) ?? []
  if (flag !== undefined && looksSecret(flag)) return {kind: 'flag'}
  const [, section] = SECTION.exec(line) ?? []
  if (section !== undefined) return {kind: 'section', key: section}
  const [, ahead = '', name] = NAMED.exec(line) ?? []
  if (name !== undefined && looksSecret(name)) return {kind: 'named', indent: ahead.length}
  const [, before = '', key, sign = ''] = OPENING.exec(line) ?? []
  return key === undefined ? undefined : openedBy(key, sign, before.length)
}

/** The same of a key with nothing behind it but a sign. */
function openedBy(key: string, sign: string, indent: number): Opening | undefined {
  if (/KeyRef$/.test(key)) return {kind: 'reference', indent, key}
  if (!saysSecret(key, '')) return undefined
  return /^[|>]/.test(sign) ? {kind: 'block', indent} : {kind: 'below', indent, key}
}

/** What a secret at the end of a line leaves open. */
export function continuation(line: string, {secret, key = '', at = 0}: Assigned): Opening | undefined {
  if (secret === undefined) return undefined
  const indent = /^\s*(?:-\s+)*/.exec(line)![0].length
  const quote = QUOTES.find((each) => secret.search(each) === 0)
  if (quote) return [...secret.matchAll(quote)].length % 2 === 1 ? {kind: 'quoted', quote} : undefined
  if (/^[{[]/.test(secret) && !/[}\]]\s*,?\s*$/.test(secret)) return {kind: 'below', indent, key}
  return LEADING.test(line.slice(0, at)) ? {kind: 'continued', indent} : undefined
}
