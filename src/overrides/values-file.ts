import {KkError} from '../base/errors.ts'
import type {Position} from '../base/position.ts'
import {isMap, type Values} from '../base/values.ts'
import {locator} from '../environment/position.ts'
import {readNamedFile} from '../state/files/named-file.ts'
import {readOnlyYaml, readYamlDocuments} from '../yaml/yaml.ts'
import {mergeValues} from './merge.ts'

/** A file of values that was read. */
export interface ValuesFile {
  readonly file: string
  readonly values: Values
  /** Returns where a key stands in the file. */
  readonly position: (path: readonly string[]) => Position | undefined
}

/**
 * Reads a file as helm reads one given with `--values`; an empty one holds nothing. `what` names it in
 * messages, where it was given in another way than by its path. Rejects with `KK_FILE`, `KK_YAML`.
 */
export async function readValuesFile(file: string, what = file): Promise<ValuesFile> {
  return valuesFile(file, await readNamedFile(file, {what}))
}

/**
 * Reads the values that a chart has by default, whose documents helm 4 merges (Helm 4.2: chart/v2/loader/load.go LoadValues);
 * keys of more than one document have no position. Throws `KK_YAML`.
 */
export function chartValues(file: string, text: string): ValuesFile {
  const documents = readYamlDocuments(text, {file})
  if (documents.length < 2 || !documents.every((each) => each === null || isMap(each)))
    return valuesFile(file, text)
  return {file, values: mergeValues(...documents.filter(isMap)), position: () => undefined}
}

/** Reads a text as helm reads a file of values. Throws `KK_YAML`. */
export function valuesFile(file: string, text: string): ValuesFile {
  const values = readOnlyYaml(text, {file}) ?? {}
  if (isMap(values)) return {file, values, position: locator({file, text})}
  throw new KkError('KK_YAML', `${file}: expected a map of values`, {
    hint: 'write keys and values, e.g. "pod: {}"',
  })
}
