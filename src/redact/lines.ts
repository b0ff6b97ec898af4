import {configuresSecrets, FREE_TEXT, looksSecret, looksSecretPath, namesSecret} from './looks-secret.ts'
import {isPlaceholder, isPlainWord, MASK} from './placeholder.ts'
import {isReference, isSecretName} from './secret-names.ts'
import {
  ASSIGNMENT,
  BIND_STATEMENT,
  BLOCK_HEAD,
  COMMANDS,
  ELEMENT,
  ENTRY_POINT,
  FLAG,
  KEY_VALUE_LINE,
  KEYLESS_SECRETS,
  LISTED_FLAG,
  NAME_LINE,
  NAME_PREFIX,
  REFERENCE_BEFORE,
  SECTION,
} from './text-rule.ts'

/**
 * Returns a string with everything that looks like a secret masked, e.g. the content of a file that a user
 * has edited.
 */
export function redactLines(text: string): string {
  return replaceSecrets(text, () => MASK)
}

const PRIVATE_KEY = new RegExp(
  `${KEYLESS_SECRETS.privateKey}-----[\\s\\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)`,
  'g',
)
/** The end of a word that may be a URL: a blank, or a closing quote; a password may contain a quote. */
const WORD_END = /(\s|["'](?=[\s,:}\])]))/
const URL_USER = /(?<=:\/\/)[^\s/@:"']*:/
/** The separator of hosts in one URL, as in `rabbit://a:secret@one:5672,a:secret@two:5672`. */
const NEXT_HOST = /(?<=@[^@,/]*),(?=[^@,/:]*:)/
/** The password before one of these hosts. */
const BEFORE_HOST = /^([^/@:]*:)(.+)(?=@)/
const COMMAND_PATTERNS = COMMANDS.map((command) => new RegExp(command, 'g'))
const ALONE_PATTERNS = [KEYLESS_SECRETS.sql, KEYLESS_SECRETS.bearer, KEYLESS_SECRETS.webhook].map(
  (pattern) => new RegExp(pattern, 'g'),
)
const ELEMENTS = new RegExp(ELEMENT.replace(/<\/$/, '(?=$&)'), 'g')

/**
 * Returns a string with its secrets replaced: the rest of the line after a key such as `password =` or
 * `"token":`, or the lines below it, the word after `--password`, passwords in well-known commands and in
 * URLs, tokens after `Bearer`, and private keys. For strings whose secrets are not known.
 */
export function replaceSecrets(text: string, replace: (secret: string) => string): string {
  if (!/[:=]|Bearer\s|-----BEGIN|-\w|<\/|IDENTIFIED BY|rabbitmqctl|\s["']/i.test(text)) return text
  const after = (_: string, start: string, secret: string) => start + replace(secret)
  const unlessPlaceholder = (whole: string, start: string, secret: string) =>
    isPlaceholder(secret) ? whole : start + replace(secret)
  const inLines = replaceInLines(text.replace(PRIVATE_KEY, replace).split('\n'), replace).join('\n')
  const inCommands = COMMAND_PATTERNS.reduce(
    (result, command) => result.replace(command, unlessPlaceholder),
    inLines,
  )
  const inElements = inCommands.replace(
    ELEMENTS,
    (whole: string, start: string, name: string, secret: string) =>
      namesSecret(name, secret, FREE_TEXT) && !isPlaceholder(secret) ? start + replace(secret) : whole,
  )
  return ALONE_PATTERNS.reduce(
    (result, alone) => result.replace(alone, after),
    replaceInUrls(inElements, replace),
  )
}

/**
 * Replaces the passwords in URLs. They end at the last `@` of the word, because a password may contain an
 * `@`.
 */
function replaceInUrls(text: string, replace: (secret: string) => string): string {
  if (!text.includes('://')) return text
  return text
    .split(WORD_END)
    .map((word) => {
      const end = word.lastIndexOf('@') + 1
      const start = end === 0 ? -1 : word.slice(0, end).search(URL_USER)
      if (start === -1) return word
      const hosts = word.slice(start, end).split(NEXT_HOST)
      const replaced = hosts.map((host) =>
        host.replace(BEFORE_HOST, (_, user: string, secret: string) => user + replace(secret)),
      )
      return word.slice(0, start) + replaced.join(',') + word.slice(end)
    })
    .join('')
}

const KEYED_LINE = new RegExp(KEY_VALUE_LINE)
type Replace = (secret: string) => string

/** A line, split after its leading blanks and list marker. */
interface Content {
  readonly before: string
  readonly value: string
}

/** A line with its secrets replaced, and the secret that continues after it. */
interface Replaced {
  readonly value: string
  readonly opening: Opening | undefined
}

/** Replaces the secrets in lines: after a key, below it, and in values that span several lines. */
function replaceInLines(lines: readonly string[], replace: Replace): string[] {
  let opening: Opening | undefined
  return lines.map((line) => {
    const [, before = '', value = ''] = /^(\s*(?:-\s+)?)(.*)$/s.exec(line) ?? []
    if (value === '') return line
    const inside = opening && continueOpening(opening, {before, value}, replace)
    if (inside) {
      opening = inside.opening
      return before + inside.value
    }
    const assigned = replaceAssigned(line, replace)
    opening = openingIn(line) ?? continuation(line, assigned)
    return assigned.line
  })
}

/** Returns a line that belongs to an open secret; undefined if the line is evaluated on its own. */
function continueOpening(opening: Opening, {before, value}: Content, replace: Replace): Replaced | undefined {
  const [, start = '', key, rest = ''] = KEYED_LINE.exec(value) ?? []
  const whole = {value: replace(value), opening}
  const entry = (isSecret: boolean) => ({value: isSecret ? start + replace(rest) : value, opening})
  if ('indent' in opening && opening.kind !== 'named' && before.length <= opening.indent) return undefined
  switch (opening.kind) {
    case 'quoted':
      return {...whole, opening: value.search(opening.quote) === -1 ? opening : undefined}
    case 'block':
      return whole
    case 'continued':
      return key === undefined && !value.startsWith('-') ? whole : undefined
    case 'reference':
      return key !== undefined && isReference(opening.key, key) ? entry(false) : undefined
    case 'named':
      if (key !== 'value' || before.length !== opening.indent) return undefined
      return namedValue({start, rest, indent: opening.indent}, replace)
    case 'flag':
      return value.startsWith('-') || isPlainWord(value) ? undefined : {...whole, opening: undefined}
    case 'section':
      return key === undefined || value.startsWith('[') ? undefined : entry(!isPlaceholder(rest))
    case 'below':
      if (key === undefined) return whole
      // `keystone_authtoken:` is a section, whose keys are evaluated on their own.
      if (!namesSecret(opening.key, {}, FREE_TEXT)) return undefined
      return entry(!isNoSecret(opening.key, key, rest))
  }
}

/** Replaces `value:` next to a name that looks secret; the value may continue on the next lines. */
function namedValue({start, rest, indent}: NamedValue, replace: Replace): Replaced {
  if (!isPlaceholder(rest)) return {value: start + replace(rest), opening: {kind: 'continued', indent}}
  return {value: start + rest, opening: /^[|>]|^$/.test(rest) ? {kind: 'block', indent} : undefined}
}

interface NamedValue {
  readonly start: string
  readonly rest: string
  readonly indent: number
}

function isNoSecret(opening: string, key: string, rest: string): boolean {
  if (isPlaceholder(rest) || configuresSecrets(key) || isReference(opening, key)) return true
  return (opening === 'secrets' || opening === 'keyrings') && isSecretName(rest)
}

/** A secret that a line opens for the lines below it. */
type Opening =
  /** A secret block, whatever its content. */
  | {readonly kind: 'block'; readonly indent: number}
  /** A secret on its own line, a list, or a map of secrets. */
  | {readonly kind: 'below'; readonly indent: number; readonly key: string}
  /** A reference to a Secret. */
  | {readonly kind: 'reference'; readonly indent: number; readonly key: string}
  /** A secret that may continue on lines with deeper indentation. */
  | {readonly kind: 'continued'; readonly indent: number}
  /** A quoted secret that continues until the closing quote. */
  | {readonly kind: 'quoted'; readonly quote: RegExp}
  /** `name: DB_PASSWORD`; the next key is its `value`. */
  | {readonly kind: 'named'; readonly indent: number}
  /** `- --password`; the next item is the secret. */
  | {readonly kind: 'flag'}
  /** `[passwords]` of an INI file, up to the next section. */
  | {readonly kind: 'section'; readonly key: string}

const [OPENING_LINE, NAMED_LINE, FLAG_LINE, SECTION_LINE] = [BLOCK_HEAD, NAME_LINE, LISTED_FLAG, SECTION].map(
  (pattern) => new RegExp(pattern),
) as [RegExp, RegExp, RegExp, RegExp]
/** A key at the start of a line, whose value may continue on the next line. */
const LEADING = /^\s*(?:-\s+)*["']?[\w.-]+["']?\s*[:=]\s*$/
/** The last one is escaped, as in a string inside another string. */
const QUOTES = [/(?<!\\)"/g, /'/g, /\\"/g] as const

/** Returns the secret that is opened by a line that contains no secret itself. */
function openingIn(line: string): Opening | undefined {
  const [, flag] = FLAG_LINE.exec(line) ?? []
  if (flag !== undefined && looksSecret(flag)) return {kind: 'flag'}
  const [, section] = SECTION_LINE.exec(line) ?? []
  if (section !== undefined) return {kind: 'section', key: section}
  const [, ahead = '', name] = NAMED_LINE.exec(line) ?? []
  if (name !== undefined && looksSecret(name)) return {kind: 'named', indent: ahead.length}
  const [, before = '', key, sign = ''] = OPENING_LINE.exec(line) ?? []
  return key === undefined ? undefined : openedBy(key, sign, before.length)
}

/** Returns the secret opened by a key that is followed by nothing but an indicator. */
function openedBy(key: string, sign: string, indent: number): Opening | undefined {
  if (/KeyRef$/.test(key)) return {kind: 'reference', indent, key}
  if (!namesSecret(key, '', FREE_TEXT)) return undefined
  return /^[|>]/.test(sign) ? {kind: 'block', indent} : {kind: 'below', indent, key}
}

/** Returns the open secret if the secret at the end of a line may continue on the next lines. */
function continuation(line: string, {secret, key = '', at = 0}: Assigned): Opening | undefined {
  if (secret === undefined) return undefined
  const indent = /^\s*(?:-\s+)*/.exec(line)![0].length
  const quote = QUOTES.find((each) => secret.search(each) === 0)
  if (quote) return [...secret.matchAll(quote)].length % 2 === 1 ? {kind: 'quoted', quote} : undefined
  if (/^[{[]/.test(secret) && !/[}\]]\s*,?\s*$/.test(secret)) return {kind: 'below', indent, key}
  return LEADING.test(line.slice(0, at)) ? {kind: 'continued', indent} : undefined
}

const ASSIGNMENTS = new RegExp(`(?<![\\w.-])${ASSIGNMENT}(?=\\S)`, 'g')
const FLAGS = new RegExp(FLAG, 'g')
const STATEMENTS = new RegExp(BIND_STATEMENT, 'g')
const REFERENCE = new RegExp(REFERENCE_BEFORE)
const ENTRY_POINTS = new RegExp(ENTRY_POINT)

/** The number of bytes before a key that are inspected, because lines can be long. */
const MAX_CONTEXT_BYTES = 300
const NAME = new RegExp(NAME_PREFIX)

function contextBefore(line: string, index: number): string {
  // The charts' templates count bytes, too.
  return Buffer.from(line.slice(Math.max(0, index - MAX_CONTEXT_BYTES), index))
    .subarray(-MAX_CONTEXT_BYTES)
    .toString()
}

/** A line with its secrets replaced, and the secret at its end with its key and offset. */
interface Assigned {
  readonly line: string
  readonly secret?: string
  readonly key?: string
  readonly at?: number
}

/**
 * Replaces the rest of the line after a key that looks secret, and the words after flags and in statements
 * that look secret.
 */
function replaceAssigned(line: string, replace: (secret: string) => string): Assigned {
  for (const {0: start, 1: key = '', index} of line.matchAll(ASSIGNMENTS)) {
    const at = index + start.length
    const secret = line.slice(at)
    const before = contextBefore(line, index)
    if (!isSecretKey(key, secret, before) || isPlaceholder(secret) || REFERENCE.test(before)) continue
    if (key.includes('.') && ENTRY_POINTS.test(start + secret)) continue
    return {line: replaceWords(line.slice(0, at), replace) + replace(secret), secret, key, at}
  }
  return {line: replaceWords(line, replace)}
}

/**
 * Returns true if a key looks secret, also as a path, `passwords.admin=`, or as the `value` of a variable
 * that is named before it: `{name: DB_PASSWORD, value: …}`.
 */
function isSecretKey(key: string, secret: string, before: string): boolean {
  if (key === 'value') return looksSecret(NAME.exec(before)?.[1] ?? '')
  return namesSecret(key, secret, FREE_TEXT) || (key.includes('.') && looksSecretPath(key.split('.'), secret))
}

function replaceWords(line: string, replace: (secret: string) => string): string {
  const unlessWord = (whole: string, start: string, name: string, word: string) => {
    if (!namesSecret(name, word, FREE_TEXT) || isPlainWord(word)) return whole
    return start + replace(word) + whole.slice(start.length + word.length)
  }
  const inStatements = /["']/.test(line) ? line.replace(STATEMENTS, unlessWord) : line
  return line.includes('-') ? inStatements.replace(FLAGS, unlessWord) : inStatements
}
