import {KkError} from '../base/errors.ts'
import {mergeValues} from '../base/merge.ts'
import type {Position} from '../base/position.ts'
import {isMap, type Values} from '../base/values.ts'
import {locator} from '../environment/position.ts'
import {readNamedFile} from '../state/files/named-file.ts'
import {readOnlyYaml, readYamlDocuments} from '../yaml/yaml.ts'

/** A parsed file of values. */
export interface ValuesFile {
  readonly file: string
  readonly values: Values
  /** Returns the position of a key in the file. */
  readonly position: (path: readonly string[]) => Position | undefined
}

/**
 * Reads a file as helm reads one of `--values`; an empty one holds no values. `what` names it in messages, if
 * the user did not pass its path. Rejects with `KK_FILE`, `KK_YAML`.
 */
export async function readValuesFile(file: string, what = file): Promise<ValuesFile> {
  return valuesFile(file, await readNamedFile(file, {what}))
}

/**
 * Reads the default values of a chart, whose documents Helm 4 merges (Helm 4.2: chart/v2/loader/load.go
 * LoadValues); keys of more than one document have no position. Throws `KK_YAML`.
 */
export function chartValues(file: string, text: string): ValuesFile {
  const documents = readYamlDocuments(text, {file})
  if (documents.length < 2 || !documents.every((each) => each === null || isMap(each)))
    return valuesFile(file, text)
  return {file, values: mergeValues(...documents.filter(isMap)), position: () => undefined}
}

/** Parses a string as helm parses a file of values. Throws `KK_YAML`. */
export function valuesFile(file: string, text: string): ValuesFile {
  const values = readOnlyYaml(text, {file}) ?? {}
  if (isMap(values)) return {file, values, position: locator({file, text})}
  throw new KkError('KK_YAML', `${file}: expected a map of values`, {
    hint: 'write keys and values, e.g. "pod: {}"',
  })
}
