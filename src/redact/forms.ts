import {readYaml} from '../yaml/yaml.ts'
import {looksSecret} from './looks-secret.ts'
import {isPlaceholder, isPlainWord} from './placeholder.ts'

/** The characters that can surround or end a secret inside other strings. */
const QUOTE = /[\\"']/
const END = /[\\"',;)}\]\s]/

/** The forms in which one secret can occur in output. */
export interface SecretForms {
  /** The forms of the whole secret. */
  readonly whole: readonly string[]
  /** The forms of single lines of a multi-line secret, some of which are settings and words. */
  readonly lines: readonly string[]
}

/** Returns the forms of a string, a number or a list of lines that is secret as a whole. */
export function secretForms(leaf: string | number | bigint): SecretForms {
  if (typeof leaf !== 'string') return {whole: numberForms(leaf), lines: []}
  const text = leaf.trim()
  const lines = secretLines(text)
  return {whole: [leaf, text, ...(lines.length === 0 ? lineForms(text) : []), ...encodedForms(leaf)], lines}
}

/** Returns a string as quoted by Go, encoded in a URL, and in base64. */
function encodedForms(text: string): readonly string[] {
  const quoted = JSON.stringify(text).slice(1, -1)
  return [quoted, encodeURIComponent(text.toWellFormed()), Buffer.from(text).toString('base64')]
}

/** Templates do not change the case or double characters of longer strings. */
const MAX_LINE_CHARACTERS = 200

/**
 * Returns a one-line string as templates may write it: in upper or lower case, with the characters doubled
 * that oslo.config and configparser interpolate, or as a number.
 */
function lineForms(text: string): readonly string[] {
  if (text.length > MAX_LINE_CHARACTERS) return []
  const dollars = text.replaceAll('$', '$$$$')
  const doubled = [dollars, text.replaceAll('%', '%%'), dollars.replaceAll('%', '%%')]
  return [...doubled, text.toUpperCase(), text.toLowerCase(), ...numeralForms(text)]
}

/** Strings that YAML could read as a number if a template does not quote them. */
const NUMERAL = /^[-+.]?\d[\w.+-]{0,40}$/

function numeralForms(text: string): readonly string[] {
  if (!NUMERAL.test(text)) return []
  try {
    const value = readYaml(text)
    return typeof value === 'number' ? numberForms(value) : []
  } catch {
    return []
  }
}

const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹'

/**
 * Returns a number in full, in the format of Go's templates (`9.18273645546e+11`: strconv, format g), and in
 * that of helm's schema errors (`9.18273645546×10¹¹` or `123,456`: golang.org/x/text/message).
 */
function numberForms(value: number | bigint): readonly string[] {
  const [digits = '', exponent = ''] = Number(value).toExponential().split('e')
  const [sign, size] = [exponent.slice(0, 1), exponent.slice(1)]
  const power = size.padStart(2, '0')
  const raised = `${sign === '-' ? '⁻' : ''}${power.replace(/\d/g, (digit) => SUPERSCRIPT[Number(digit)]!)}`
  const full = Number.isInteger(value) ? BigInt(value).toString() : String(value)
  return [
    ...[String(value), full, value.toLocaleString('en-US', {maximumFractionDigits: 20})],
    ...[`${digits}e${sign}${power}`, `${digits}×10${raised}`],
  ]
}

function secretLines(text: string): readonly string[] {
  const lines = text.split('\n')
  if (lines.length === 1) return []
  const trimmed = lines.map((line) => line.trim())
  return text.includes('-----BEGIN ') ? trimmed : trimmed.flatMap(secretsInLine)
}

/** A comment, brackets or a section header; the last line of a key in base64 matches none of them. */
const STRUCTURE = /^(?:(?:[#;]+|\/\/)(?:\s.*)?|[-\s{}[\](),;]*|\[+[\w .:/-]+\]+)$/
/** A key with its value, also of an option that is commented out; a trailing `=` may be base64 padding. */
const KEYED = /^(?:[#;]+\s*)?(?:-\s+)?["']?([\w./-]+)["']?(?:\s*:(?=[\s"'[{]|$)|\s+=|=(?=[^=\s]))\s*(.*)$/
/** An ordinary value of an option: a word, or a host name. */
const WORD = /^[A-Za-z]+(?:[-_.][A-Za-z]+)*$/

/**
 * Returns the secret parts of one line of a multi-line secret: its value, or the whole line if it has no key.
 * Lines that are only structure occur in other strings, too.
 */
function secretsInLine(line: string): readonly string[] {
  const [, key, value = ''] = KEYED.exec(line) ?? []
  if (key === undefined) {
    const item = stripPunctuation(line.replace(/^-\s+/, ''))
    if (STRUCTURE.test(line)) return []
    return WORD.test(item) ? [line] : [line, item]
  }
  if (isPlaceholder(value)) return []
  const word = stripPunctuation(value)
  return !looksSecret(key) && (WORD.test(word) || isPlainWord(value)) ? [] : [word]
}

/** Returns a string without surrounding quotes and trailing punctuation. */
export function stripPunctuation(secret: string): string {
  let start = 0
  let end = secret.length
  while (start < end && QUOTE.test(secret[start]!)) start += 1
  while (start < end && END.test(secret[end - 1]!)) end -= 1
  return secret.slice(start, end)
}
