import {MASK} from './placeholder.ts'

/** Go: text/template, exec.go and funcs.go end an error with the value, over as many lines as it has. */
const VALUE_AT_END = /(range can't iterate over |non-comparable types? )[\s\S]*?(?=\nUse --debug flag|$)/g
/** A function that fails may quote what it was given. Of these, that is the name of a template, or of an object. */
const FAILED_CALL = /error calling (?!(?:include|lookup):)/
/** What is quoted, but for the source of templates and their names. */
const QUOTED =
  /\bat <[^\n]*?>:|\b(?:executing|no template|associated with template) "(?:[^"\\]|\\.)*"|("(?:[^"\\]|\\.)*"|`[^`]*`)/g

/** Returns an error of Go's templates, as helm prints it, without the values that it quotes. */
export function redactTemplateErrors(text: string): string {
  const shown = text.replace(VALUE_AT_END, `$1${MASK}`)
  const start = shown.search(FAILED_CALL)
  if (start === -1) return shown
  const call = shown
    .slice(start)
    .replace(QUOTED, (whole: string, value?: string) => (value === undefined ? whole : MASK))
  return shown.slice(0, start) + call
}
