import {locator} from '../environment/position.ts'
import {KkError} from '../errors.ts'
import {readOnlyYaml} from '../helm/yaml.ts'
import {isMap, type Position, type Values} from '../release.ts'
import {readNamedFile} from '../state/files/named-file.ts'

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

/** Reads a text as helm reads a file of values. Throws `KK_YAML`. */
export function valuesFile(file: string, text: string): ValuesFile {
  const values = readOnlyYaml(text, {file}) ?? {}
  if (isMap(values)) return {file, values, position: locator({file, text})}
  throw new KkError('KK_YAML', `${file}: expected a map of values`, {
    hint: 'write keys and values, e.g. "pod: {}"',
  })
}
