import {MASK} from './placeholder.ts'

/** Go: text/template, exec.go and funcs.go end an error with the value, which may span several lines. */
const VALUE_AT_END = /(range can't iterate over |non-comparable types? )[\s\S]*?(?=\nUse --debug flag|$)/g
/**
 * A failed function call may quote its arguments. For these two, that is the name of a template or an object.
 */
const FAILED_CALL = /error calling (?!(?:include|lookup):)/
/** Matches quoted strings, except template positions and names. */
const QUOTED =
  /\bat <[^\n]*?>:|\b(?:executing|no template|associated with template) "(?:[^"\\]|\\.)*"|("(?:[^"\\]|\\.)*"|`[^`]*`)/g

/** Returns an error of Go's templates, as helm prints it, without the quoted values. */
export function redactTemplateErrors(text: string): string {
  const shown = text.replace(VALUE_AT_END, `$1${MASK}`)
  const start = shown.search(FAILED_CALL)
  if (start === -1) return shown
  const call = shown
    .slice(start)
    .replace(QUOTED, (whole: string, value?: string) => (value === undefined ? whole : MASK))
  return shown.slice(0, start) + call
}
