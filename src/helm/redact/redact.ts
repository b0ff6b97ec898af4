import type {Values} from '../../release.ts'
import {redactTexts} from './known-texts.ts'
import {mapLeaves} from './leaves.ts'
import {replaceSecrets} from './lines.ts'
import {looksSecret, looksSecretPath} from './looks-secret.ts'
import {isNoSecretWord, isPlaceholder, MASK} from './placeholder.ts'

/** Masks the secrets in a text. */
export type Redact = (text: string) => string
/** Masks them in a leaf of an object or of values; `isSecret` when it stands under a key that looks secret. */
export type RedactLeaf = (text: string, isSecret?: boolean) => string

/** Shorter texts are words of every message; masking them would hide more than they protect. */
const SHORTEST = 6
/** Values that many charts have for a default: half of all messages speak of it. */
const WORDS: ReadonlySet<string> = new Set(['password', 'secret'])
/** The signs that end a secret inside other texts, and the quotes that it begins with. */
const QUOTE = /[\\"']/
const END = /[\\"',;)}\]\s]/

/**
 * Returns a function that masks, in what helm printed, the secrets among these values: every text under a key that looks
 * secret, what looks like one inside other texts, and whatever helm itself quotes of values in schema errors and merge warnings.
 * They are gathered when the first text comes: most runs have none. What is `shown` anyway, such as a name that is a password,
 * too, is masked only where a key says so: one in the text, or the one that the text stands under, with `isSecret`.
 */
export function redactor(values: Values, shown: ReadonlySet<string> = new Set()): RedactLeaf {
  let hide: ((text: string, isSecret: boolean) => string) | undefined
  return (text, isSecret = false) => {
    hide ??= redactSecrets(secretsIn(values), shown)
    return hide(text, isSecret).split('\n').map(redactQuoted).join('\n')
  }
}

function redactSecrets(secrets: ReadonlySet<string>, shown: ReadonlySet<string>) {
  const words = new Set([...secrets].filter((secret) => shown.has(secret)))
  const hide = redactTexts(new Set([...secrets].filter((secret) => !words.has(secret))), MASK)
  const hideWords = redactTexts(words, MASK)
  return (text: string, isSecret: boolean): string => {
    const hidden = hide(text)
    if (words.size === 0) return hidden
    return isSecret ? hideWords(hidden) : replaceSecrets(hidden, hideWords)
  }
}

function secretsIn(values: Values): ReadonlySet<string> {
  const secrets = new Set<string>()
  mapLeaves(values, (leaf, isSecret) => {
    for (const form of formsOf(leaf, isSecret)) secrets.add(form)
  })
  return secrets
}

/** Returns the texts that are to be masked of a leaf. */
function formsOf(leaf: unknown, isSecret: boolean): readonly string[] {
  if (typeof leaf !== 'string' && typeof leaf !== 'number' && typeof leaf !== 'bigint') return []
  const text = String(leaf)
  return (isSecret ? forms(text) : textSecrets(text)).filter(
    (form) => form.length >= SHORTEST && !WORDS.has(form),
  )
}

/** The shapes in which one secret can come back: as it is, line by line, quoted by Go, in a URL, in a Secret. */
function forms(text: string): string[] {
  const quoted = JSON.stringify(text).slice(1, -1)
  return [text, text.trim(), ...linesOf(text), quoted, encode(text), Buffer.from(text).toString('base64')]
}

function linesOf(text: string): string[] {
  const lines = text.trim().split('\n')
  if (lines.length === 1) return []
  const trimmed = lines.map((line) => line.trim())
  return text.includes('-----BEGIN ') ? trimmed : trimmed.flatMap(secretOfLine)
}

/** A line of comment, brackets or the header of a section; the end of a key in base64 has neither. */
const STRUCTURE = /^(?:(?:[#;]+|\/\/)(?:\s.*)?|[-\s{}[\](),;]*|\[+[\w .:/-]+\]+)$/
/** A key with its value, also of an option that is commented out; a `=` at the end may be that of base64. */
const KEYED = /^(?:[#;]+\s*)?(?:-\s+)?["']?([\w./-]+)["']?(?:\s*:(?=[\s"'[{]|$)|\s+=|=(?=[^=\s]))\s*(.*)$/
/** A value as options have it: a word, or the name of a host. */
const WORD = /^[A-Za-z]+(?:[-_.][A-Za-z]+)*$/

/**
 * Returns what is secret of one line of many: its value, or all of it where it has no key. Other texts have its
 * structure, too.
 */
function secretOfLine(line: string): readonly string[] {
  const [, key, value = ''] = KEYED.exec(line) ?? []
  if (key === undefined) {
    const item = bare(line.replace(/^-\s+/, ''))
    if (STRUCTURE.test(line)) return []
    return WORD.test(item) ? [line] : [line, item]
  }
  if (isPlaceholder(value)) return []
  const word = bare(value)
  return !looksSecret(key) && (WORD.test(word) || isNoSecretWord(value)) ? [] : [word]
}

function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function textSecrets(text: string): string[] {
  const found: string[] = []
  replaceSecrets(text, (secret) => {
    found.push(bare(secret))
    return secret
  })
  return found
}

/** Without the quotes around it, and what ends it. */
function bare(secret: string): string {
  let start = 0
  let end = secret.length
  while (start < end && QUOTE.test(secret[start]!)) start += 1
  while (start < end && END.test(secret[end - 1]!)) end -= 1
  return secret.slice(start, end)
}

/** Chart defaults can be in what helm quotes, which kk does not know. */
function redactQuoted(line: string): string {
  return redactRejected(redactUnmerged(redactYaml(line)))
}

/** go.yaml.in/yaml/v2: decode.go names the alias that it cannot resolve, as of `password: *S3cret`, and quotes the value that has another type. */
function redactYaml(line: string): string {
  return line
    .replace(/(anchor ')[^']*(' (?:referenced|value contains itself))/g, `$1${MASK}$2`)
    .replace(/(cannot (?:unmarshal|decode) \S{1,50} `)[^`]*(`)/g, `$1${MASK}$2`)
}

/** Helm: coalesce.go prints the value that it could not merge, in brackets at the end of the line. */
function redactUnmerged(line: string): string {
  const warning = line.indexOf('warning: ')
  if (warning === -1) return line
  const words = /non table for|non-table value/.exec(line.slice(warning))
  const open = words ? line.indexOf('(', warning + words.index) : -1
  const close = line.lastIndexOf(')')
  return open === -1 || close < open ? line : `${line.slice(0, open + 1)}${MASK}${line.slice(close)}`
}

/** Helm: jsonschema.go quotes the value that it rejects after the JSON pointer. */
function redactRejected(line: string): string {
  const end = /' (?:does not|is not)/g
  let masked = ''
  let done = 0
  for (const {0: start, 1: pointer = '', index} of line.matchAll(/at '([^']*)': '/g)) {
    const from = index + start.length
    if (from <= done) continue
    end.lastIndex = from
    const to = end.exec(line)?.index
    if (to === undefined) break
    masked += line.slice(done, from) + (looksSecretPath(pointer.split('/')) ? MASK : line.slice(from, to))
    done = to
  }
  return masked + line.slice(done)
}
