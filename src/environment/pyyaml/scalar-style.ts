import {resolveWord} from '../../helm/yaml/word.ts'
import {analyze} from './analysis.ts'
import type {PythonScalar} from './node.ts'
import {writeDoubleQuoted, writeLiteral, writePlain, writeSingleQuoted} from './scalar.ts'
import {pythonWord} from './word.ts'
import {indented, type Writer, writeIndicator} from './writer.ts'

/** Where a scalar stands. */
export interface ScalarPlace {
  /** A key that is followed by `:` in the same line. */
  readonly simpleKey: boolean
  /** Between braces or brackets, where more characters have a meaning. */
  readonly flow: boolean
}

const FLOW_INDICATOR = /[,?[\]{}:]/

/** PyYAML 6: emitter.py choose_scalar_style; words that only Helm takes for something else get quotes, too. */
export function writeScalar(writer: Writer, scalar: PythonScalar, {simpleKey, flow}: ScalarPlace): void {
  indented(writer, 'flow', () => {
    const {text} = scalar
    if (scalar.type === 'binary') {
      writeIndicator(writer, '!!binary', {spaced: true})
      if (text === '') writeDoubleQuoted(writer, text, !simpleKey)
      else writeLiteral(writer, text)
      return
    }
    const analysis = analyze(text)
    const bare = scalar.bare || (pythonWord(text) === undefined && resolveWord(text) === undefined)
    const plain = analysis.plain && !(flow && (analysis.empty || FLOW_INDICATOR.test(text)))
    if (bare && plain && !(simpleKey && analysis.empty)) writePlain(writer, text, !simpleKey)
    else if (analysis.single && !(simpleKey && analysis.multiline))
      writeSingleQuoted(writer, text, !simpleKey)
    else writeDoubleQuoted(writer, text, !simpleKey)
  })
}
