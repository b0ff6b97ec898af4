/** The text that is shown in the place of a secret. */
export const MASK = '***'

/** What stands for a value: a variable, a mask, a block text or a map that follows; or nothing. */
const STAND_IN = String.raw`\$\{\w+\}|\$\(\w+\)|(?i:true|false|null|none|<none>)|\*{3}|[|>][-+\d]*|[{[]`
/** The rest of a value that may follow it. */
const REST = String.raw`[\\"']*[\s,;)}\]]*$`
/** As shells have them, in capitals: a password may begin with `$`. */
const SHELL_VARIABLE = String.raw`\$[A-Z_][A-Z0-9_]*`
/** A file that holds a secret is none. */
const FILE = String.raw`^["']?(?:~|\.{1,2})?/`

/** What is no secret in the place of one, and what is none behind a flag: patterns of Go's RE2, for the charts' templates. */
export const PLACEHOLDER = String.raw`^[\\"']*(?:${STAND_IN}|${SHELL_VARIABLE}|\{\{.*\}\})?${REST}`
export const NO_SECRET_WORD = `${PLACEHOLDER}|${FILE}`

const BEGINNING = new RegExp(String.raw`^[\\"']*(?:(\{\{)|${STAND_IN})?`)
const END = new RegExp(`^${REST}`)
const TEMPLATE_END = new RegExp(String.raw`\}\}${REST}`)
/** No template is followed by more: the end of a line is read once for each key in it. */
const LONGEST_END = 200
const VARIABLE = new RegExp(String.raw`^[\\"']*${SHELL_VARIABLE}${REST}`)
const PATH = new RegExp(FILE)

/** Returns true for a word after a flag such as `--key` that is no secret. */
export function isNoSecretWord(word: string): boolean {
  return isPlaceholder(word) || PATH.test(word)
}

/** Returns true for a text that stands where a secret would, and is none. */
export function isPlaceholder(text: string): boolean {
  const [beginning, template] = BEGINNING.exec(text)!
  if (template !== undefined) return TEMPLATE_END.test(text.slice(beginning.length).slice(-LONGEST_END))
  return END.test(text.slice(beginning.length)) || VARIABLE.test(text)
}
