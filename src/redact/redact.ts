import type {Values} from '../base/values.ts'
import {bare, secretForms} from './forms.ts'
import {redactTexts} from './known-texts.ts'
import {mapLeaves} from './leaves.ts'
import {replaceSecrets} from './lines.ts'
import {looksSecretPath} from './looks-secret.ts'
import {MASK} from './placeholder.ts'

/** Masks the secrets in a text. */
export type Redact = (text: string) => string
/** Masks them in a leaf of an object or of values; `isSecret` when it stands under a key that looks secret. */
export type RedactLeaf = (text: string, isSecret?: boolean) => string

/** Shorter texts are words of every message; masking them would hide more than they protect. */
const SHORTEST = 6
/** Of a short one that is neither a word nor a number, such as `ab12` or `p@ss`. */
const SHORTEST_MIXED = 4
const MIXED = /[\p{L}].*[^\p{L}]|[^\p{L}].*[\p{L}]/u
/** Values that many charts have for a default: half of all messages speak of it. */
const WORDS: ReadonlySet<string> = new Set(['password', 'secret'])

/**
 * Returns a function that masks, in what helm and the API server print, the secrets among these values: every text under a key
 * that looks secret, what looks like one inside other texts, and whatever helm itself quotes of values in schema errors and merge
 * warnings. They are gathered when the first text comes: most runs have none. What is short or a common word, and what is `shown`
 * anyway, such as a name that is a password, too, is masked only where a key says so: one in the text, or the one that the text
 * stands under, with `isSecret`; and where the API server quotes a value.
 */
export function redactor(values: Values, shown: ReadonlySet<string> = new Set()): RedactLeaf {
  let hide: ((text: string, isSecret: boolean) => string) | undefined
  return (text, isSecret = false) => {
    hide ??= redactSecrets(secretsIn(values), shown)
    return hide(text, isSecret).split('\n').map(redactQuoted).join('\n')
  }
}

/** What the API server quotes of an object that it refuses (apimachinery: field/errors.go; structured-merge-diff). */
const REFUSED =
  /(\b(?:Invalid|Unsupported|Duplicate) value: |\bvalueUnstructured\{Value:)("(?:[^"\\]|\\.)*"|[^\s,:}]+)/g

function redactSecrets({everywhere, behindKeys}: Secrets, shown: ReadonlySet<string>) {
  const shownWords = new Set([...shown].map((word) => word.toLowerCase()))
  const isShown = (secret: string) => shownWords.has(secret.toLowerCase())
  const words = new Set([...behindKeys, ...[...everywhere].filter(isShown)])
  const texts = new Set([...everywhere].filter((secret) => !words.has(secret)))
  const hide = texts.size === 0 ? unchanged : encodedSecrets(redactTexts(texts, MASK))
  const hideWords = redactTexts(words, MASK)
  return (text: string, isSecret: boolean): string => {
    const hidden = hide(text)
    if (words.size === 0) return hidden
    if (isSecret) return hideWords(hidden)
    return replaceSecrets(hidden, hideWords).replace(
      REFUSED,
      (_, before: string, value: string) => before + hideWords(value),
    )
  }
}

/** A text in base64, in either of its alphabets, or in hex that is long enough for a secret. */
const ENCODED = /[\w+/-]{8,}={0,2}/g
const HEX = /^(?:[0-9a-f]{2}){6,}$/i

/**
 * Returns a function that masks as `hide` does, and also each text in base64 or hex that holds what it hides, such as the
 * `user:password` of a header or of a registry's login: encoded, a secret looks otherwise behind each length of what precedes it.
 */
function encodedSecrets(hide: (text: string) => string): (text: string) => string {
  const holdsSecret = (text: string) => hide(text) !== text
  return (text) =>
    hide(text).replace(ENCODED, (word) => {
      const isHeld = holdsSecret(Buffer.from(word, 'base64').toString())
      return isHeld || (HEX.test(word) && holdsSecret(Buffer.from(word, 'hex').toString())) ? MASK : word
    })
}

function unchanged(text: string): string {
  return text
}

/** The texts of secrets that are masked. */
interface Secrets {
  readonly everywhere: ReadonlySet<string>
  readonly behindKeys: ReadonlySet<string>
}

function secretsIn(values: Values): Secrets {
  const [everywhere, behindKeys] = [new Set<string>(), new Set<string>()]
  const add = (form: string, shortest = SHORTEST) => {
    const isClear = form.length >= shortest && !WORDS.has(form)
    if (form !== '') (isClear ? everywhere : behindKeys).add(form)
  }
  mapLeaves(values, (leaf, isSecret) => {
    if (typeof leaf !== 'string' && typeof leaf !== 'number' && typeof leaf !== 'bigint') return
    const {whole, lines} = isSecret ? secretForms(leaf) : {whole: [], lines: textSecrets(String(leaf))}
    for (const form of whole) add(form, MIXED.test(form) ? SHORTEST_MIXED : SHORTEST)
    for (const form of lines) add(form)
  })
  return {everywhere, behindKeys}
}

function textSecrets(text: string): string[] {
  const found: string[] = []
  replaceSecrets(text, (secret) => {
    found.push(bare(secret))
    return secret
  })
  return found
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

/** What a limit in a schema is compared with, as `at '/password': maximum: got 12, want 3` has it: a number, or a length. */
const LIMITED = /(at '([^']*)': [A-Za-z]+: got )\S+?(?=, want )/g

/** Helm: jsonschema.go quotes the value that it rejects after the JSON pointer. */
function redactRejected(text: string): string {
  const line = text.replace(LIMITED, (whole, before: string, pointer: string) =>
    looksSecretPath(pointer.split('/')) ? before + MASK : whole,
  )
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
