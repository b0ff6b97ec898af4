import type {Values} from '../base/values.ts'
import {secretForms, stripPunctuation} from './forms.ts'
import {redactTexts} from './known-texts.ts'
import {mapLeaves} from './leaves.ts'
import {replaceSecrets} from './lines.ts'
import {looksSecretPath} from './looks-secret.ts'
import {MASK} from './placeholder.ts'

/** Masks the secrets in a string. */
export type Redact = (text: string) => string
/** Masks the secrets in a leaf of an object or of values; `isSecret` if a key above it looks secret. */
export type RedactLeaf = (text: string, isSecret?: boolean) => string

/** Shorter strings occur in every message; masking them would hide more than they protect. */
const MIN_SECRET_LENGTH = 6
/** The minimum for a secret that is neither a word nor a number, such as `ab12` or `p@ss`. */
const MIN_MIXED_SECRET_LENGTH = 4
const MIXED = /[\p{L}].*[^\p{L}]|[^\p{L}].*[\p{L}]/u
/** Default values of many charts, which also occur in half of all messages. */
const WORDS: ReadonlySet<string> = new Set(['password', 'secret'])

/**
 * Returns a function that masks, in the output of helm and the API server, the secrets among these values:
 * every string under a key that looks secret, what looks like a secret inside other strings, and values that
 * helm quotes in schema errors and merge warnings. The secrets are collected on the first call, because most
 * runs have no output to mask. Short strings, common words and strings that are `shown` anyway, such as a
 * name that is also a password, are masked only after a key that looks secret, under such a key (`isSecret`),
 * and in values that the API server quotes.
 */
export function redactor(values: Values, shown: ReadonlySet<string> = new Set()): RedactLeaf {
  let hide: ((text: string, isSecret: boolean) => string) | undefined
  return (text, isSecret = false) => {
    hide ??= redactSecrets(secretsIn(values), shown)
    return hide(text, isSecret).split('\n').map(redactQuoted).join('\n')
  }
}

/**
 * Values that the API server quotes of a rejected object (apimachinery: field/errors.go;
 * structured-merge-diff).
 */
const REJECTED_VALUE =
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
      REJECTED_VALUE,
      (_, before: string, value: string) => before + hideWords(value),
    )
  }
}

/** A string in base64, in either alphabet, or in hex, if it is long enough for a secret. */
const ENCODED = /[\w+/-]{8,}={0,2}/g
const HEX = /^(?:[0-9a-f]{2}){6,}$/i

/**
 * Returns a function that masks like `hide`, and also strings in base64 or hex that contain a secret, such as
 * `user:password` of a header or a registry login: the encoding of a secret depends on the length of what
 * precedes it.
 */
function encodedSecrets(hide: (text: string) => string): (text: string) => string {
  const holdsSecret = (text: string) => hide(text) !== text
  return (text) =>
    hide(text).replace(ENCODED, (word) => {
      const isSecret = holdsSecret(Buffer.from(word, 'base64').toString())
      return isSecret || (HEX.test(word) && holdsSecret(Buffer.from(word, 'hex').toString())) ? MASK : word
    })
}

function unchanged(text: string): string {
  return text
}

/** The strings that are masked. */
interface Secrets {
  readonly everywhere: ReadonlySet<string>
  readonly behindKeys: ReadonlySet<string>
}

function secretsIn(values: Values): Secrets {
  const [everywhere, behindKeys] = [new Set<string>(), new Set<string>()]
  const add = (form: string, shortest = MIN_SECRET_LENGTH) => {
    const isClear = form.length >= shortest && !WORDS.has(form)
    if (form !== '') (isClear ? everywhere : behindKeys).add(form)
  }
  mapLeaves(values, (leaf, isSecret) => {
    if (typeof leaf !== 'string' && typeof leaf !== 'number' && typeof leaf !== 'bigint') return
    const {whole, lines} = isSecret ? secretForms(leaf) : {whole: [], lines: textSecrets(String(leaf))}
    for (const form of whole) add(form, MIXED.test(form) ? MIN_MIXED_SECRET_LENGTH : MIN_SECRET_LENGTH)
    for (const form of lines) add(form)
  })
  return {everywhere, behindKeys}
}

function textSecrets(text: string): string[] {
  const secrets: string[] = []
  replaceSecrets(text, (secret) => {
    secrets.push(stripPunctuation(secret))
    return secret
  })
  return secrets
}

/** Masks the values that helm quotes; they can be chart defaults, which kk does not know. */
function redactQuoted(line: string): string {
  return redactRejected(redactUnmerged(redactYaml(line)))
}

/**
 * Masks the alias that go.yaml.in/yaml/v2 (decode.go) cannot resolve, as in `password: *S3cret`, and a value
 * of the wrong type, which it quotes.
 */
function redactYaml(line: string): string {
  return line
    .replace(/(anchor ')[^']*(' (?:referenced|value contains itself))/g, `$1${MASK}$2`)
    .replace(/(cannot (?:unmarshal|decode) \S{1,50} `)[^`]*(`)/g, `$1${MASK}$2`)
}

/** Masks the value that Helm (coalesce.go) could not merge, in brackets at the end of the line. */
function redactUnmerged(line: string): string {
  const warning = line.indexOf('warning: ')
  if (warning === -1) return line
  const words = /non table for|non-table value/.exec(line.slice(warning))
  const open = words ? line.indexOf('(', warning + words.index) : -1
  const close = line.lastIndexOf(')')
  return open === -1 || close < open ? line : `${line.slice(0, open + 1)}${MASK}${line.slice(close)}`
}

/**
 * The number or length that violates a limit of a schema, as in `at '/password': maximum: got 12, want 3`.
 */
const LIMITED = /(at '([^']*)': [A-Za-z]+: got )\S+?(?=, want )/g

/** Masks the rejected value that Helm (jsonschema.go) quotes after the JSON pointer. */
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
