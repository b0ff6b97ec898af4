import {type Source, yamlError} from './error.ts'
import {type ContentNode, type MappingNode, type Node, type SequenceNode, targetNode} from './node.ts'

/** The number of nodes that a reader visits if it follows every alias: in total, and through aliases. */
interface Weight {
  readonly all: number
  readonly aliased: number
}

/**
 * Rejects a document whose aliases multiply, as Helm does. go.yaml.in/yaml/v2: decode.go allowedAliasRatio.
 * Throws `KK_YAML`.
 */
export function refuseAliasBomb(source: Source, root: Node): void {
  if (!source.text.includes('*')) return
  const {all, aliased} = weigh(root, new Map())
  if (aliased <= 100 || all <= 1000) return
  if (aliased / all <= allowedRatio(all)) return
  const message = `the aliases of this file expand to ${all.toExponential(1)} values: Helm refuses that`
  throw yamlError(source, root.offset, message, 'nest anchors less deeply')
}

const SCALAR: Weight = {all: 1, aliased: 0}

function weigh(node: Node, weights: Map<ContentNode, Weight>): Weight {
  const content = targetNode(node)
  if (content.kind === 'scalar') return node.kind === 'alias' ? {all: 2, aliased: 1} : SCALAR
  const inner = (content.aliased ? weights.get(content) : undefined) ?? weighCollection(content, weights)
  return node.kind === 'alias' ? {all: inner.all + 1, aliased: inner.all} : inner
}

function weighCollection(content: SequenceNode | MappingNode, weights: Map<ContentNode, Weight>): Weight {
  let all = 1
  let aliased = 0
  const add = (child: Node) => {
    const weight = weigh(child, weights)
    all += weight.all
    aliased += weight.aliased
  }
  if (content.kind === 'sequence') for (const item of content.items) add(item)
  else
    for (const {key, value} of content.pairs) {
      add(key)
      add(value)
    }
  const weight = {all, aliased}
  if (content.aliased) weights.set(content, weight)
  return weight
}

const LOW = 400_000
const HIGH = 4_000_000

function allowedRatio(all: number): number {
  if (all <= LOW) return 0.99
  if (all >= HIGH) return 0.1
  return 0.99 - (0.89 * (all - LOW)) / (HIGH - LOW)
}
