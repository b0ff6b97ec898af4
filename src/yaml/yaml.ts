import {refuseAliasBomb} from './aliasing.ts'
import {type Source, yamlError} from './error.ts'
import type {Node} from './node.ts'
import {parseTrees} from './tree.ts'
import {documentValue, type ValueOptions} from './value.ts'

interface ReadOptions extends Partial<ValueOptions> {
  /** For messages; `YAML` by default. */
  readonly file?: string
}

/**
 * The first document of a YAML text as Helm 3 and 4 read it; null for an empty text.
 * Plain data: null, booleans, float64 numbers, strings, lists and maps; aliases are shared objects, never to be changed.
 * Keys that come twice: the last wins, unless `duplicates` is `error`; `integers` says what those do that are rounded. Throws `KK_YAML` with file:line:column.
 */
export function readYaml(text: string, options: ReadOptions = {}): unknown {
  return readYamlDocuments(text, options)[0] ?? null
}

/**
 * The only document of a YAML text as `readYaml` gives it. What follows it must be empty, for helm 3 leaves it out and
 * helm 4 merges it. Throws `KK_YAML`.
 */
export function readOnlyYaml(text: string, options: ReadOptions = {}): unknown {
  const source = {file: options.file ?? 'YAML', text}
  const [root, ...others] = parseTrees(source)
  const second = others.find((other) => treeValue(source, other) !== null)
  if (second) {
    const hint = 'keep one, or give each a file of its own'
    throw yamlError(source, second.offset, 'expected one document, got a second one', hint)
  }
  return root ? treeValue(source, root, options) : null
}

/** All documents of a YAML stream, each as `readYaml` gives it. */
export function readYamlDocuments(text: string, options: ReadOptions = {}): unknown[] {
  const source = {file: options.file ?? 'YAML', text}
  return parseTrees(source).map((root) => treeValue(source, root, options))
}

/** A parsed document as plain data; refuses what Helm refuses. */
export function treeValue(
  source: Source,
  root: Node,
  {duplicates = 'last', integers = 'rounded'}: Partial<ValueOptions> = {},
): unknown {
  refuseAliasBomb(source, root)
  return documentValue(source, root, {duplicates, integers})
}
