import {
  type DocumentDirective,
  EVENT_ID,
  type Event,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
  type ScalarEvent,
  YAMLException,
} from 'js-yaml'
import {reasonOf, type Source, yamlError} from './error.ts'
import type {AliasNode, ContentNode, MappingNode, Node, ScalarNode, SequenceNode} from './node.ts'
import {anchorName, offsetOf, type Properties, tagOf} from './properties.ts'

/**
 * The documents of a YAML text as trees of nodes with offsets.
 * js-yaml parses; its own constructor is not used because Helm's merge keys, key names and duplicates differ from it.
 * Throws `KK_YAML`.
 */
export function parseTrees(source: Source): Node[] {
  refuseForeignBreaks(source)
  return buildTrees(source, events(source))
}

function events(source: Source): Event[] {
  try {
    return parseEvents(source.text, {filename: source.file, maxDepth: 500})
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error
    throw yamlError(source, error.mark?.position ?? 0, reasonOf(error), 'correct the YAML at that place')
  }
}

/** Helm's YAML 1.1 reader ends a line at these, YAML 1.2 does not: whoever means the character must escape it. */
function refuseForeignBreaks(source: Source): void {
  const found = /[\u0085\u2028\u2029]/.exec(source.text)
  if (!found) return
  const code = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
  const message = `the character U+${code} ends a line for Helm and does not for YAML 1.2`
  throw yamlError(source, found.index, message, `write it as "\\u${code}" in double quotes, or leave it out`)
}

interface Builder {
  readonly source: Source
  readonly documents: Node[]
  readonly open: (SequenceNode | MappingNode)[]
  /** Keys that wait for their value, one place per open mapping. */
  readonly keys: (Node | undefined)[]
  anchors: Map<string, ContentNode>
  directives: readonly DocumentDirective[]
  root: Node | undefined
}

function buildTrees(source: Source, events: readonly Event[]): Node[] {
  const builder: Builder = {
    source,
    documents: [],
    open: [],
    keys: [],
    anchors: new Map(),
    directives: [],
    root: undefined,
  }
  for (const event of events) takeEvent(builder, event)
  return builder.documents
}

function takeEvent(builder: Builder, event: Event): void {
  switch (event.type) {
    case EVENT_ID.DOCUMENT:
      builder.anchors = new Map()
      builder.directives = event.directives
      builder.root = undefined
      return
    case EVENT_ID.SCALAR:
      addContent(builder, event, scalarNode(builder, event))
      return
    case EVENT_ID.SEQUENCE:
      openNode(builder, event, {kind: 'sequence', ...common(builder, event), aliased: false, items: []})
      return
    case EVENT_ID.MAPPING:
      openNode(builder, event, {kind: 'mapping', ...common(builder, event), aliased: false, pairs: []})
      return
    case EVENT_ID.ALIAS:
      addNode(builder, aliasNode(builder, event))
      return
    default:
      closeNode(builder)
  }
}

function common(builder: Builder, event: Properties): {offset: number; tag: string} {
  return {offset: offsetOf(event), tag: tagOf(builder.source, builder.directives, event)}
}

function scalarNode(builder: Builder, event: ScalarEvent): ScalarNode {
  const text = scalarText(builder.source.text, event)
  return {kind: 'scalar', ...common(builder, event), plain: event.style === SCALAR_STYLE.PLAIN, text}
}

/** A block that the end of the file cuts off has no last line break for YAML 1.1; js-yaml adds one. */
function scalarText(text: string, event: ScalarEvent): string {
  const value = getScalarValue(text, event)
  const block = event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK
  const cut = block && event.valueEnd === text.length && !/[\r\n]$/.test(text)
  return cut && value.endsWith('\n') ? value.slice(0, -1) : value
}

function addContent(builder: Builder, event: Properties, node: ContentNode): void {
  addNode(builder, node)
  if (event.anchorStart !== -1) builder.anchors.set(anchorName(builder.source, event), node)
}

function openNode(builder: Builder, event: Properties, node: SequenceNode | MappingNode): void {
  addContent(builder, event, node)
  builder.open.push(node)
  builder.keys.push(undefined)
}

function closeNode(builder: Builder): void {
  if (builder.open.length === 0) {
    builder.documents.push(builder.root as Node)
    return
  }
  builder.open.pop()
  builder.keys.pop()
}

function addNode(builder: Builder, node: Node): void {
  const parent = builder.open.at(-1)
  if (!parent) {
    builder.root = node
    return
  }
  if (parent.kind === 'sequence') {
    parent.items.push(node)
    return
  }
  const key = builder.keys.at(-1)
  if (!key) {
    builder.keys[builder.keys.length - 1] = node
    return
  }
  parent.pairs.push({key, value: node})
  builder.keys[builder.keys.length - 1] = undefined
}

function aliasNode(builder: Builder, event: {anchorStart: number; anchorEnd: number}): AliasNode {
  const {source} = builder
  const offset = event.anchorStart - 1
  const name = anchorName(builder.source, event)
  const target = builder.anchors.get(name)
  if (!target) {
    throw yamlError(
      source,
      offset,
      'this alias has no anchor before it',
      'define the anchor first; a text that begins with * is written in quotes',
    )
  }
  if (target.kind !== 'scalar' && builder.open.includes(target)) {
    throw yamlError(
      source,
      offset,
      'what this alias stands for contains it',
      'take the alias out of what it names',
    )
  }
  if (target.kind !== 'scalar') target.aliased = true
  return {kind: 'alias', offset, target}
}
