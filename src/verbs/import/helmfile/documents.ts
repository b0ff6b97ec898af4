import {basename, dirname, resolve} from 'node:path'
import {problemsError} from '../../../environment/problems.ts'
import type {JsonSchema} from '../../../environment/schema.ts'
import {validate} from '../../../environment/validate.ts'
import {refuseAliasBomb} from '../../../helm/yaml/aliasing.ts'
import type {Source} from '../../../helm/yaml/error.ts'
import {keyText} from '../../../helm/yaml/key.ts'
import {contentOf, type Node, type ScalarNode} from '../../../helm/yaml/node.ts'
import {parseTrees} from '../../../helm/yaml/tree.ts'
import {resolveWord} from '../../../helm/yaml/word.ts'
import {treeValue} from '../../../helm/yaml.ts'
import {isMap} from '../../../overrides/merge.ts'
import type {Helmfile} from './helmfile.ts'
import {withoutCredentials} from './lost-keys.ts'

/** A helmfile, or one of those below it. */
export interface HelmfileDocument {
  /** Its paths start here. */
  readonly directory: string
  readonly state: Helmfile
}

/** As `helmfile build` writes it above each file that it has read. */
const SOURCE = /^---\n# {2}Source: (.+)$/gm

/** The documents of a helmfile, each with its place. Throws `KK_YAML`, and `KK_FILE` for what helmfile would not read. */
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

/** Values of releases, to whom null says something. */
const KEPT = new Set(['values', 'renderedvalues'])

/** The same without keys that are null: to helmfile they say nothing. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls)
  if (!isMap(value)) return value
  const stated = Object.entries(value).filter(([, inner]) => inner !== null)
  return Object.fromEntries(stated.map(([key, inner]) => [key, KEPT.has(key) ? inner : withoutNulls(inner)]))
}

/** What helmfile hands to helm as it stands: `1.10` and `010` are texts there. Lists on the way are passed through. */
const PLACES = ['set', 'setString'].flatMap((key) => [
  ['releases', key, 'value'],
  ['releases', key, 'values'],
])

/** The same helmfile with the words of `set` and `setString` as texts. Throws `KK_YAML` for what is no key. */
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

const TEXT = {title: 'a text', type: ['string', 'null']} as const satisfies JsonSchema
const WORD = {title: 'a text', type: 'string'} as const satisfies JsonSchema
const SWITCH = {title: 'true or false', type: ['boolean', 'null']} as const satisfies JsonSchema
const SECONDS = {
  title: 'whole seconds',
  type: ['integer', 'null'],
  minimum: 0,
} as const satisfies JsonSchema

/** What an item of `set` may be set to. */
const SCALAR = {
  title: 'a text, a number, true or false',
  type: ['string', 'number', 'boolean', 'null'],
} as const satisfies JsonSchema

const SETS: JsonSchema = {
  title: 'a list of {name, value}',
  type: ['array', 'null'],
  items: {
    title: 'a map of name and value',
    type: 'object',
    properties: {
      name: WORD,
      value: SCALAR,
      values: {title: 'a list of texts', type: ['array', 'null'], items: SCALAR},
      file: TEXT,
    },
    required: ['name'],
  },
}

const RELEASE: JsonSchema = {
  title: 'a map of settings of a release',
  type: 'object',
  properties: {
    name: WORD,
    namespace: TEXT,
    chart: TEXT,
    version: TEXT,
    installed: SWITCH,
    condition: TEXT,
    needs: {title: 'a list of names of releases', type: ['array', 'null'], items: WORD},
    timeout: SECONDS,
    values: {
      title: 'a list of files and maps',
      type: ['array', 'null'],
      items: {title: 'the path of a file, or a map of values', type: ['string', 'object', 'null']},
    },
    set: SETS,
    setString: SETS,
  },
  required: ['name'],
}

/** What kk reads of a helmfile; null is as good as nothing, as in helmfile. All else is passed over. */
const HELMFILE_SCHEMA: JsonSchema = {
  title: 'a map with releases',
  type: ['object', 'null'],
  properties: {
    namespace: TEXT,
    kubeContext: TEXT,
    helmDefaults: {
      title: 'a map of settings',
      type: ['object', 'null'],
      properties: {timeout: SECONDS, kubeContext: TEXT},
    },
    repositories: {
      title: 'a list of repositories',
      type: ['array', 'null'],
      items: {
        title: 'a map of name and url',
        type: 'object',
        properties: {name: TEXT, url: TEXT, oci: SWITCH},
      },
    },
    releases: {title: 'a list of releases', type: ['array', 'null'], items: RELEASE},
  },
}
