import {basename, dirname, resolve} from 'node:path'
import {validate} from '../../base/validate.ts'
import {isMap} from '../../base/values.ts'
import {problemsError} from '../../environment/problems.ts'
import {refuseAliasBomb} from '../../yaml/aliasing.ts'
import type {Source} from '../../yaml/error.ts'
import {keyText} from '../../yaml/key.ts'
import {type Node, type ScalarNode, targetNode} from '../../yaml/node.ts'
import {parseTrees} from '../../yaml/tree.ts'
import {resolveWord} from '../../yaml/word.ts'
import {treeValue} from '../../yaml/yaml.ts'
import {withoutCredentials} from '../credentials.ts'
import {HELMFILE_SCHEMA, type Helmfile} from './helmfile.ts'

/** A helmfile, or a sub-helmfile. */
export interface HelmfileDocument {
  /** The directory to which its paths are relative. */
  readonly directory: string
  readonly state: Helmfile
}

/** The header that `helmfile build` prints above each file. */
const SOURCE = /^---\n# {2}Source: (.+)$/gm

/**
 * Returns the documents of a helmfile, each with its directory. Throws `KK_YAML`, and `KK_FILE` for what
 * helmfile would not read.
 */
export function helmfileDocuments(text: string, file: string, isBuilt: boolean): readonly HelmfileDocument[] {
  // Line numbers of the output do not apply to the file.
  const source = {file: isBuilt ? 'the output of helmfile build' : file, text}
  const built = [...text.matchAll(SOURCE)]
  return parseTrees(source).flatMap((root) => {
    const state = parseState(source, root)
    if (state === null) return []
    const path = built.findLast(({index}) => index < root.offset)?.[1] ?? basename(file)
    return {directory: dirname(resolve(dirname(file), path)), state}
  })
}

function parseState(source: Source, root: Node): Helmfile | null {
  refuseAliasBomb(source, root)
  const value = treeValue(source, withVerbatimSets(source, root))
  const problems = validate(HELMFILE_SCHEMA, value).map((each) => ({
    ...each,
    got: withoutCredentials(each.got),
  }))
  if (problems.length > 0)
    throw problemsError({source, root, problems, code: 'KK_FILE', schema: "helmfile's documentation"})
  return withoutNulls(value) as Helmfile | null
}

/** Keys whose values are passed to releases, in which null is significant. */
const PASSED_THROUGH = new Set(['values', 'renderedvalues'])

/** Returns a value without null keys, which helmfile ignores. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isMap(value)) return value
  const entries = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(
    entries.map(([key, inner]) => [key, PASSED_THROUGH.has(key) ? inner : withoutNulls(inner)]),
  )
}

/**
 * The paths of scalars that helmfile passes to helm verbatim: `1.10` and `010` are strings there. Lists on
 * the path are descended into.
 */
const VERBATIM_PATHS = ['set', 'setString'].flatMap((key) => [
  ['releases', key, 'value'],
  ['releases', key, 'values'],
])

/**
 * Returns a helmfile whose scalars of `set` and `setString` are strings. Throws `KK_YAML` for an invalid key.
 */
function withVerbatimSets(source: Source, root: Node): Node {
  return VERBATIM_PATHS.reduce((changed, place) => withStringsAt(source, changed, place), root)
}

function withStringsAt(source: Source, node: Node, place: readonly string[]): Node {
  const content = targetNode(node)
  if (content.kind === 'sequence')
    return {...content, items: content.items.map((item) => withStringsAt(source, item, place))}
  const [step, ...rest] = place
  if (step === undefined) return content.kind === 'scalar' ? asString(content) : content
  if (content.kind === 'scalar') return content
  const pairs = content.pairs.map(({key, value}) => ({
    key,
    value: keyText(source, key) === step ? withStringsAt(source, value, rest) : value,
  }))
  return {...content, pairs}
}

function asString(word: ScalarNode): ScalarNode {
  return resolveWord(word.text)?.kind === 'null' ? word : {...word, plain: false}
}
