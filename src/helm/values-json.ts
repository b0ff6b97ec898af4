import type {Values} from '../release.ts'

/** Characters that JSON leaves bare and YAML 1.1 reads as a line break or a mark, or refuses. */
const MISREAD = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

/** Values as JSON text that Helm's YAML reader gives back unchanged: for standard input, one line, ASCII controls escaped. */
export function valuesJson(values: Values): string {
  return JSON.stringify(values).replace(MISREAD, escaped)
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
