/** Nothing, or what stands for a value: a template, a variable, a mask, a block text that follows. */
const PLACEHOLDER =
  /^[\\"']*(?:\{\{.*\}\}|\$\{\w+\}|\$\(\w+\)|true|false|null|none|\*{3}|[|>][-+\d]*)?[\\"']*[\s,;)}\]]*$/i
/** As shells have them, in capitals: a password may begin with `$`. */
const VARIABLE = /^[\\"']*\$[A-Z_][A-Z0-9_]*[\\"']*[\s,;)}\]]*$/

/** Whether a text where a secret would stand is none. */
export function isPlaceholder(text: string): boolean {
  return PLACEHOLDER.test(text) || VARIABLE.test(text)
}
