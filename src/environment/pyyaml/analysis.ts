/** In which styles PyYAML may write a string. */
export interface Analysis {
  readonly empty: boolean
  readonly multiline: boolean
  readonly plain: boolean
  readonly single: boolean
  readonly block: boolean
}

const SIMPLE: Analysis = {empty: false, multiline: false, plain: true, single: true, block: true}
const EMPTY: Analysis = {empty: true, multiline: false, plain: true, single: true, block: false}

/** Most keys and values: nothing in them needs a closer look. */
const ORDINARY = /^(?!\.\.\.)[A-Za-z0-9_./][A-Za-z0-9_./-]*$/
/** Neither a line feed nor printable ASCII: escaped, for kk writes as PyYAML does without `allow_unicode`. */
const SPECIAL = /[^\n\x20-\x7e]/
const LEADING_INDICATOR = /^(?:[#,[\]{}&*!|>'"%@`]|---|\.\.\.|[-?:](?:[ \n]|$))/
const INNER_INDICATOR = /:(?:[ \n]|$)|[ \n]#/

/** PyYAML 6: emitter.py analyze_scalar, for block context. */
export function analyze(text: string): Analysis {
  if (text === '') return EMPTY
  if (ORDINARY.test(text)) return SIMPLE
  const multiline = /[\n\u0085\u2028\u2029]/.test(text)
  const spaceBreak = / \n/.test(text) || SPECIAL.test(text)
  const breakSpace = /\n /.test(text)
  const edges = /^[ \n]|[ \n]$/.test(text)
  const indicators = LEADING_INDICATOR.test(text) || INNER_INDICATOR.test(text)
  return {
    empty: false,
    multiline,
    plain: !(multiline || spaceBreak || breakSpace || edges || indicators),
    single: !(breakSpace || spaceBreak),
    block: !(spaceBreak || text.endsWith(' ')),
  }
}
