import type {Values} from '../../release.ts'
import {mergeValues} from '../merge.ts'
import type {CopiedFile} from './container-config.ts'
import {readIni} from './ini.ts'
import {sourceName} from './used-files.ts'

interface Handed {
  /** By file, section and name. */
  readonly options: readonly (readonly string[])[]
  readonly files: readonly {readonly key: string; readonly path: string}[]
}

/**
 * What generated files say of the options that a chart hands to its jobs, as its `conf`: a job of the chart knows no other
 * place. Throws `KK_KOLLA` for a file that is not as oslo.config reads it.
 */
export function handedOptions(
  {options, files}: Handed,
  copied: readonly CopiedFile[],
  texts: ReadonlyMap<string, string>,
): Values {
  return options
    .flatMap(([key = '', section = '', name = '']) => {
      const path = files.find((file) => file.key === key)?.path
      const source = copied.find(({dest}) => dest === path)
      const text = source && texts.get(sourceName(source))
      const value =
        text === undefined ? undefined : readIni({file: sourceName(source!), text})[section]?.[name]
      return value === undefined ? [] : [{[key]: {[section]: {[name]: value}}}]
    })
    .reduce<Values>(mergeValues, {})
}
