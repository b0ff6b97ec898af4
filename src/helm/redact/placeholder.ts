/** Nothing, or what stands for a value: a template, a variable, a mask, a block text or a map that follows. */
const PLACEHOLDER =
  /^[\\"']*(?:\{\{.*\}\}|\$\{\w+\}|\$\(\w+\)|true|false|null|none|\*{3}|[|>][-+\d]*|[{[])?[\\"']*[\s,;)}\]]*$/i
/** As shells have them, in capitals: a password may begin with `$`. */
const VARIABLE = /^[\\"']*\$[A-Z_][A-Z0-9_]*[\\"']*[\s,;)}\]]*$/

/** A file that holds a secret is none. */
const PATH = /^["']?(?:~|\.{1,2})?\//

/** Whether a word after a flag such as `--key` is no secret. */
export function isNoSecretWord(word: string): boolean {
  return isPlaceholder(word) || PATH.test(word)
}

/** Whether a text where a secret would stand is none. */
export function isPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text) || VARIABLE.test(text)
}
