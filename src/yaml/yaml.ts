import {refuseAliasBomb} from './aliasing.ts'
import {type Source, yamlError} from './error.ts'
import type {Node} from './node.ts'
import {parseTrees} from './tree.ts'
import {documentValue, type ValueOptions} from './value.ts'

interface ReadOptions extends Partial<ValueOptions> {
  /** The file name in messages; defaults to `YAML`. */
  readonly file?: string
}

/**
 * Returns the first document of a YAML string as Helm 3 and 4 read it; null for an empty string. The result
 * is plain data: null, booleans, float64 numbers, strings, lists and maps. Aliases are shared objects, so do
 * not mutate it. The last of duplicate keys wins unless `duplicates` is `error`; `integers` decides about
 * integers that get rounded. Throws `KK_YAML` with file:line:column.
 */
export function readYaml(text: string, options: ReadOptions = {}): unknown {
  return readYamlDocuments(text, options)[0] ?? null
}

/**
 * Returns the only document of a YAML string, as `readYaml` does. Further documents must be empty, because
 * helm 3 ignores them and helm 4 merges them. Throws `KK_YAML`.
 */
export function readOnlyYaml(text: string, options: ReadOptions = {}): unknown {
  const source = {file: options.file ?? 'YAML', text}
  const [root, ...rest] = parseTrees(source)
  const second = rest.find((other) => treeValue(source, other) !== null)
  if (second) {
    const hint = 'keep one, or put each into a separate file'
    throw yamlError(source, second.offset, 'expected one document, got a second one', hint)
  }
  return root ? treeValue(source, root, options) : null
}

/** Returns all documents of a YAML stream, each as `readYaml` returns it. */
export function readYamlDocuments(text: string, options: ReadOptions = {}): unknown[] {
  const source = {file: options.file ?? 'YAML', text}
  return parseTrees(source).map((root) => treeValue(source, root, options))
}

/** Returns a parsed document as plain data. Throws `KK_YAML` for anything that Helm rejects. */
export function treeValue(
  source: Source,
  root: Node,
  {duplicates = 'last', integers = 'rounded'}: Partial<ValueOptions> = {},
): unknown {
  refuseAliasBomb(source, root)
  return documentValue(source, root, {duplicates, integers})
}
