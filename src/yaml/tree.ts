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
import {redactedReason, type Source, yamlError} from './error.ts'
import type {AliasNode, ContentNode, MappingNode, Node, ScalarNode, SequenceNode} from './node.ts'

/**
 * Returns the documents of a YAML string as trees of nodes with offsets. js-yaml parses; its own constructor
 * is not used because Helm differs in merge keys, key names and duplicates. Throws `KK_YAML`.
 */
export function parseTrees(source: Source): Node[] {
  refuseForeignBreaks(source)
  return buildTrees(source, parsed(source))
}

/** The events of a string in which some lines were indented. */
interface Parsed {
  readonly events: readonly Event[]
  readonly text: string
  /** Maps an offset in `text` to the offset in the original string. */
  readonly origin: (offset: number) => number
}

/** The limit of re-parsing for lines that are indented, in characters. */
const MAX_REPARSED_CHARACTERS = 20_000_000

/**
 * Parses a string. YAML 1.2, and so js-yaml, requires the lines of a flow collection or a quoted string to be
 * indented deeper than their key; Helm's reader accepts any indentation there. Such a line is indented, and
 * the string is parsed again.
 */
function parsed(source: Source): Parsed {
  let {text} = source
  const starts: number[] = []
  const depth = maximalIndent(text)
  const origin = (offset: number) => {
    const before = countBelow(starts, offset)
    const inside = before === 0 ? 0 : Math.max(0, starts[before - 1]! + depth - offset)
    return offset - before * depth + inside
  }
  for (let round = 0; ; round += 1) {
    try {
      return {events: parseEvents(text, {filename: source.file, maxDepth: 500}), text, origin}
    } catch (error) {
      if (!(error instanceof YAMLException)) throw error
      const at = error.mark?.position ?? 0
      const start = Math.max(text.lastIndexOf('\n', at - 1), text.lastIndexOf('\r', at - 1)) + 1
      const isShallow = error.reason === 'deficient indentation' && isIndentable(text, start, at)
      const isIndented = starts[countBelow(starts, start)] === start
      if (!isShallow || isIndented || round * text.length > MAX_REPARSED_CHARACTERS)
        throw yamlError(source, origin(at), redactedReason(error), 'correct the YAML at that place')
      const lines = startsOfOpen(text, start)
      const indent = ' '.repeat(depth)
      for (const [index, each] of lines.entries()) starts.push(each + index * depth)
      text =
        text.slice(0, start) +
        lines.map((each, index) => indent + text.slice(each, lines[index + 1])).join('')
    }
  }
}

/** Returns how many of the ascending numbers are below the limit. */
function countBelow(numbers: readonly number[], limit: number): number {
  let [low, high] = [0, numbers.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (numbers[middle]! < limit) low = middle + 1
    else high = middle
  }
  return low
}

/**
 * Returns the start of a line and of the following lines that are certainly inside the same open collection
 * or quoted string, because nothing before them closes it.
 */
function startsOfOpen(text: string, start: number): readonly number[] {
  const starts = [start]
  for (let at = start; ; ) {
    const end = text.indexOf('\n', at)
    if (
      end < 0 ||
      /[\]}"'\r]/.test(text.slice(at, end)) ||
      /^(?:\t|---|\.\.\.|\n)/.test(text.slice(end + 1, end + 4))
    )
      return starts
    at = end + 1
    if (at < text.length) starts.push(at)
  }
}

/** Returns an indentation deeper than any in the string, including content after `- - `. */
function maximalIndent(text: string): number {
  let most = 0
  for (const [prefix] of text.matchAll(/^[ ?-]+/gm)) most = Math.max(most, prefix.length)
  return most + 1
}

/**
 * Returns true if a line can be indented. A tab is no indentation for Helm either, and `---` ends open
 * collections.
 */
function isIndentable(text: string, start: number, at: number): boolean {
  return (
    start > 0 &&
    /^ *$/.test(text.slice(start, at)) &&
    !/^(?:---|\.\.\.)(?:\s|$)/.test(text.slice(start, start + 4))
  )
}

/**
 * Throws `KK_YAML` for characters at which Helm's YAML 1.1 reader ends a line and YAML 1.2 does not. The
 * character itself must be escaped.
 */
function refuseForeignBreaks(source: Source): void {
  const match = /[\u0085\u2028\u2029]/.exec(source.text)
  if (!match) return
  const code = match[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
  const message = `the character U+${code} ends a line for Helm and does not for YAML 1.2`
  throw yamlError(source, match.index, message, `write it as "\\u${code}" in double quotes, or remove it`)
}

interface Builder {
  /** The source that the events refer to. */
  readonly source: Source
  /** The original source, for messages. */
  readonly written: Source
  readonly origin: Parsed['origin']
  readonly documents: Node[]
  readonly open: (SequenceNode | MappingNode)[]
  /** Keys without a value yet, one slot per open mapping. */
  readonly keys: (Node | undefined)[]
  anchors: Map<string, ContentNode>
  directives: readonly DocumentDirective[]
  root: Node | undefined
}

function buildTrees(written: Source, {events, text, origin}: Parsed): Node[] {
  const builder: Builder = {
    source: {file: written.file, text},
    written,
    origin,
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
  return {offset: builder.origin(nodeOffset(event)), tag: tagName(builder, event)}
}

function scalarNode(builder: Builder, event: ScalarEvent): ScalarNode {
  const text = scalarText(builder.source.text, event)
  return {kind: 'scalar', ...common(builder, event), plain: event.style === SCALAR_STYLE.PLAIN, text}
}

/** A block scalar cut off by the end of the file has no last line break in YAML 1.1; js-yaml adds one. */
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
  const {written: source} = builder
  const offset = builder.origin(event.anchorStart - 1)
  const name = anchorName(builder.source, event)
  const target = builder.anchors.get(name)
  if (!target) {
    throw yamlError(
      source,
      offset,
      'this alias has no anchor before it',
      'define the anchor first; quote a string that begins with *',
    )
  }
  if (target.kind !== 'scalar' && builder.open.includes(target)) {
    throw yamlError(
      source,
      offset,
      'this alias refers to a node that contains it',
      'move the alias out of the node that it refers to',
    )
  }
  if (target.kind !== 'scalar') target.aliased = true
  return {kind: 'alias', offset, target}
}

/** The start event of a node, which may have an anchor and a tag. */
type Properties = Extract<Event, {tagStart: number}>

/** Returns the offset at which the node visibly starts: at its opening quote, not after it. */
function nodeOffset(event: Properties): number {
  const start = event.type === EVENT_ID.SCALAR ? event.valueStart : event.start
  if (start === -1) return Math.max(event.tagStart, event.anchorStart, 0)
  const quoted = event.type === EVENT_ID.SCALAR && isQuoted(event.style)
  return quoted ? start - 1 : start
}

function isQuoted(style: number): boolean {
  return style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED
}

/**
 * Returns the full name of a tag. Percent escapes stay, because no tag with a meaning here contains them.
 * Throws `KK_YAML` for a tag directly before an indicator of a list or a map, which Helm's reader takes as
 * part of the tag.
 */
function tagName({source, written, origin, directives}: Builder, event: Properties): string {
  if (event.tagStart === -1) return ''
  const raw = source.text.slice(event.tagStart, event.tagEnd)
  const next = source.text[event.tagEnd] ?? ''
  if (raw !== '!' && !raw.startsWith('!<') && /[,[\]{}]/.test(next)) {
    const message = `the tag ${raw} is directly before "${next}": Helm would read another list or map`
    throw yamlError(written, origin(event.tagStart), message, 'write a value between them, such as ""')
  }
  if (raw === '!') return raw
  if (raw.startsWith('!<')) return raw.slice(2, -1)
  const end = raw.indexOf('!', 1)
  const handle = end === -1 ? '!' : raw.slice(0, end + 1)
  const directive = directives.find((each) => each.kind === 'tag' && each.handle === handle)
  const standard = handle === '!!' ? 'tag:yaml.org,2002:' : handle
  const prefix = directive?.kind === 'tag' ? directive.prefix : standard
  return prefix + raw.slice(handle.length)
}

/**
 * Returns the name of an anchor, up to the first character that Helm does not allow in one. YAML 1.2 allows
 * more characters.
 */
function anchorName(source: Source, event: {anchorStart: number; anchorEnd: number}): string {
  const name = source.text.slice(event.anchorStart, event.anchorEnd)
  if (/^[-\w]+$/.test(name)) return name
  const message = 'expected letters, digits, - and _ as the name of an anchor'
  throw yamlError(
    source,
    event.anchorStart,
    message,
    'put a space after the name, or choose another one; quote a string that begins with & or *',
  )
}
