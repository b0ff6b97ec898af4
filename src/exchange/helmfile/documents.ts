import {basename, dirname, resolve} from 'node:path'
import {validate} from '../../base/validate.ts'
import {isMap} from '../../base/values.ts'
import {problemsError} from '../../environment/problems.ts'
import {refuseAliasBomb} from '../../yaml/aliasing.ts'
import type {Source} from '../../yaml/error.ts'
import {keyText} from '../../yaml/key.ts'
import {contentOf, type Node, type ScalarNode} from '../../yaml/node.ts'
import {parseTrees} from '../../yaml/tree.ts'
import {resolveWord} from '../../yaml/word.ts'
import {treeValue} from '../../yaml/yaml.ts'
import {withoutCredentials} from '../credentials.ts'
import {HELMFILE_SCHEMA, type Helmfile} from './helmfile.ts'

/** A helmfile, or one of those below it. */
export interface HelmfileDocument {
  /** Its paths start here. */
  readonly directory: string
  readonly state: Helmfile
}

/** As `helmfile build` writes it above each file that it has read. */
const SOURCE = /^---\n# {2}Source: (.+)$/gm

/** Returns the documents of a helmfile, each with its place. Throws `KK_YAML`, and `KK_FILE` for what helmfile would not read. */
export function helmfileDocuments(text: string, file: string, isBuilt: boolean): readonly HelmfileDocument[] {
  // The lines of what helmfile prints are none of the file.
  const source = {file: isBuilt ? 'the output of helmfile build' : file, text}
  const built = [...text.matchAll(SOURCE)]
  return parseTrees(source).flatMap((root) => {
    const state = stateOf(source, root)
    if (state === null) return []
    const path = built.findLast(({index}) => index < root.offset)?.[1] ?? basename(file)
    return {directory: dirname(resolve(dirname(file), path)), state}
  })
}

function stateOf(source: Source, root: Node): Helmfile | null {
  refuseAliasBomb(source, root)
  const value = treeValue(source, asWritten(source, root))
  const problems = validate(HELMFILE_SCHEMA, value).map((each) => ({
    ...each,
    got: withoutCredentials(each.got),
  }))
  if (problems.length > 0)
    throw problemsError({source, root, problems, code: 'KK_FILE', schema: "helmfile's documentation"})
  return withoutNulls(value) as Helmfile | null
}

/** Keys whose values go to releases, where null has a meaning. */
const KEPT = new Set(['values', 'renderedvalues'])

/** Returns a value without keys that are null: to helmfile they say nothing. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isMap(value)) return value
  const stated = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(stated.map(([key, inner]) => [key, KEPT.has(key) ? inner : withoutNulls(inner)]))
}

/** The places of words that helmfile hands to helm as they stand: `1.10` and `010` are texts there. Lists on the way are passed through. */
const PLACES = ['set', 'setString'].flatMap((key) => [
  ['releases', key, 'value'],
  ['releases', key, 'values'],
])

/** Returns a helmfile whose words of `set` and `setString` are texts. Throws `KK_YAML` for what is no key. */
function asWritten(source: Source, root: Node): Node {
  return PLACES.reduce((changed, place) => wordsAt(source, changed, place), root)
}

function wordsAt(source: Source, node: Node, place: readonly string[]): Node {
  const content = contentOf(node)
  if (content.kind === 'sequence')
    return {...content, items: content.items.map((item) => wordsAt(source, item, place))}
  const [step, ...rest] = place
  if (step === undefined) return content.kind === 'scalar' ? asText(content) : content
  if (content.kind === 'scalar') return content
  const pairs = content.pairs.map(({key, value}) => ({
    key,
    value: keyText(source, key) === step ? wordsAt(source, value, rest) : value,
  }))
  return {...content, pairs}
}

function asText(word: ScalarNode): ScalarNode {
  return resolveWord(word.text)?.kind === 'null' ? word : {...word, plain: false}
}
