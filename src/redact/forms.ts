import {readYaml} from '../yaml/yaml.ts'
import {looksSecret} from './looks-secret.ts'
import {isNoSecretWord, isPlaceholder} from './placeholder.ts'

/** The signs that end a secret inside other texts, and the quotes that it begins with. */
const QUOTE = /[\\"']/
const END = /[\\"',;)}\]\s]/

/** The forms in which one secret can come back. */
export interface SecretForms {
  /** Those of all of it. */
  readonly whole: readonly string[]
  /** Those of one line of many, among which are settings and words. */
  readonly lines: readonly string[]
}

/** Returns the forms of a text, a number or a list of lines that is secret as a whole. */
export function secretForms(leaf: string | number | bigint): SecretForms {
  if (typeof leaf !== 'string') return {whole: numberForms(leaf), lines: []}
  const text = leaf.trim()
  const lines = linesOf(text)
  return {whole: [leaf, text, ...(lines.length === 0 ? lineForms(text) : []), ...written(leaf)], lines}
}

/** As Go quotes it, in a URL, in a Secret. */
function written(text: string): readonly string[] {
  const quoted = JSON.stringify(text).slice(1, -1)
  return [quoted, encodeURIComponent(text.toWellFormed()), Buffer.from(text).toString('base64')]
}

/** Of a longer text nobody changes the case, or doubles a sign. */
const LONGEST_LINE = 200

/** As templates write a text of one line: in one case, with the signs doubled that oslo.config and configparser replace, as a number. */
function lineForms(text: string): readonly string[] {
  if (text.length > LONGEST_LINE) return []
  const dollars = text.replaceAll('$', '$$$$')
  const doubled = [dollars, text.replaceAll('%', '%%'), dollars.replaceAll('%', '%%')]
  return [...doubled, text.toUpperCase(), text.toLowerCase(), ...numeralForms(text)]
}

/** What could be a number for YAML, if a template forgets the quotes. */
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
 * Returns a number in full, as Go's templates write it (`9.18273645546e+11`: strconv, format g), and as helm's schema errors do
 * (`9.18273645546×10¹¹` or `123,456`: golang.org/x/text/message).
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

function linesOf(text: string): readonly string[] {
  const lines = text.split('\n')
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

/** Returns a text without the quotes around it, and what ends it. */
export function bare(secret: string): string {
  let start = 0
  let end = secret.length
  while (start < end && QUOTE.test(secret[start]!)) start += 1
  while (start < end && END.test(secret[end - 1]!)) end -= 1
  return secret.slice(start, end)
}
