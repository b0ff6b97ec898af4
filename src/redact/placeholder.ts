import {anyCase} from './any-case.ts'

/** The string that is shown instead of a secret. */
export const MASK = '***'

/**
 * What may replace a value: a variable, a mask, the indicator of a block or a map that follows; or nothing.
 */
const STAND_IN = String.raw`\$\{\w+\}|\$\(\w+\)|(?:${anyCase('true|false|null|none|<none>')})|\*{3}|[|>][-+\d]*|[{[]`
/** The characters that may follow a placeholder, up to the end of the value. */
const REST = String.raw`[\\"']*[\s,;)}\]]*$`
/** A shell variable, in capitals: a password may begin with `$`. */
const SHELL_VARIABLE = String.raw`\$[A-Z_][A-Z0-9_]*`
/** A file that contains a secret; its path is not a secret. */
const FILE = String.raw`^["']?(?:~|\.{1,2})?/`

/**
 * Values that are not secret although they are in the place of a secret, and words after a flag that are not
 * secret: patterns of Go's RE2, for the charts' templates.
 */
export const PLACEHOLDER = String.raw`^[\\"']*(?:${STAND_IN}|${SHELL_VARIABLE}|\{\{.*\}\})?${REST}`
export const NO_SECRET_WORD = `${PLACEHOLDER}|${FILE}`

const BEGINNING = new RegExp(String.raw`^[\\"']*(?:(\{\{)|${STAND_IN})?`)
const END = new RegExp(`^${REST}`)
const TEMPLATE_END = new RegExp(String.raw`\}\}${REST}`)
/** The maximum length after a template expression: the end of a line is scanned once for each key in it. */
const MAX_END_CHARACTERS = 200
const VARIABLE = new RegExp(String.raw`^[\\"']*${SHELL_VARIABLE}${REST}`)
const PATH = new RegExp(FILE)

/** Returns true for a word after a flag such as `--key` that is not a secret. */
export function isPlainWord(word: string): boolean {
  return isPlaceholder(word) || PATH.test(word)
}

/** Returns true for a string in the place of a secret that is not one. */
export function isPlaceholder(text: string): boolean {
  const [beginning, template] = BEGINNING.exec(text)!
  if (template !== undefined)
    return TEMPLATE_END.test(text.slice(beginning.length).slice(-MAX_END_CHARACTERS))
  return END.test(text.slice(beginning.length)) || VARIABLE.test(text)
}
