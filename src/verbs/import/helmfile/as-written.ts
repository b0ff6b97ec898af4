import type {Source} from '../../../helm/yaml/error.ts'
import {keyText} from '../../../helm/yaml/key.ts'
import {contentOf, type Node, type ScalarNode} from '../../../helm/yaml/node.ts'
import {resolveWord} from '../../../helm/yaml/word.ts'

/** What helmfile hands to helm as it stands: `1.10` and `010` are texts there. Lists on the way are passed through. */
const PLACES = ['set', 'setString'].flatMap((key) => [
  ['releases', key, 'value'],
  ['releases', key, 'values'],
])

/** The same helmfile with the words of `set` and `setString` as texts. Throws `KK_YAML` for what is no key. */
export function asWritten(source: Source, root: Node): Node {
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
