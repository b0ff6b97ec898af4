/** The text that is shown in the place of a secret. */
export const MASK = '***'

/** The beginning of what stands for a value: of a template, a variable, a mask, a block text or a map that follows; or nothing. */
const BEGINNING = /^[\\"']*(?:(\{\{)|\$\{\w+\}|\$\(\w+\)|true|false|null|none|\*{3}|[|>][-+\d]*|[{[])?/i
/** The rest of a value that may follow it. */
const END = /^[\\"']*[\s,;)}\]]*$/
const TEMPLATE_END = /\}\}[\\"']*[\s,;)}\]]*$/
/** No template is followed by more: the end of a line is read once for each key in it. */
const LONGEST_END = 200
/** As shells have them, in capitals: a password may begin with `$`. */
const VARIABLE = /^[\\"']*\$[A-Z_][A-Z0-9_]*[\\"']*[\s,;)}\]]*$/

/** A file that holds a secret is none. */
const PATH = /^["']?(?:~|\.{1,2})?\//

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
