import {KkError} from '../../base/errors.ts'
import type {Source} from '../../yaml/error.ts'

/** An option that occurs more than once, in the form that openstack-helm's charts accept. */
export interface MultiString {
  readonly type: 'multistring'
  readonly values: readonly string[]
}

/** Section → option → value, as in `conf` of a chart. */
export type IniOptions = Readonly<Record<string, Readonly<Record<string, string | MultiString>>>>

/**
 * Parses an INI file as oslo.config does (iniparser.py, on which kolla's merge is based): an indented line
 * continues the value before it, an option may occur more than once. Throws `KK_KOLLA` with the line number,
 * not its content.
 */
export function readIni({file, text}: Source): IniOptions {
  const sections = new Map<string, Map<string, string[]>>()
  let options: Map<string, string[]> | undefined
  let values: string[] | undefined
  for (const [at, line] of text.split(/\r?\n/).entries()) {
    const refuse = (expected: string) => refused(`${file}:${at + 1}`, expected)
    if (/^\s*$/.test(line)) values = undefined
    else if (/^\s/.test(line) && values) values.push(`${values.pop()}\n${line.trim()}`)
    else if (/^\s*[#;]/.test(line)) continue
    else if (line.trimStart().startsWith('[')) {
      const name = /^\s*\[\s*([^\]]+?)\s*\]\s*$/.exec(line)?.[1]
      if (name === undefined) throw refuse('[section]')
      options = sections.get(name) ?? new Map()
      sections.set(name, options)
      values = undefined
    } else {
      const [, option, value = ''] = /^\s*([^=:]+?)\s*[=:]\s*(.*?)\s*$/.exec(line) ?? []
      if (option === undefined) throw refuse('option = value')
      if (!options) throw refuse('a [section] before the first option')
      values = options.get(option) ?? []
      values.push(value)
      options.set(option, values)
    }
  }
  return Object.fromEntries([...sections].map(([name, of]) => [name, optionValues(of)]))
}

function optionValues(options: ReadonlyMap<string, readonly string[]>): IniOptions[string] {
  return Object.fromEntries(
    [...options].map(([option, values]) => [
      option,
      values.length === 1 ? values[0]! : {type: 'multistring' as const, values},
    ]),
  )
}

function refused(place: string, expected: string): KkError {
  return new KkError('KK_KOLLA', `${place}: expected ${expected}`, {
    hint: 'use the syntax of oslo.config: [section], then lines with option = value',
  })
}
