/** A string of this length does not occur in other words by accident: it is masked inside them, too. */
const MIN_LENGTH_INSIDE_WORDS = 12
const LETTER = /[\p{L}\p{N}]/u

/** A part of a string, by offsets; `end` is exclusive. */
interface Part {
  readonly start: number
  readonly end: number
}

/**
 * Returns a function that replaces each occurrence of these strings with a mask; overlapping ones with one
 * mask. Short strings are replaced only as whole words. The function takes time linear in its argument, its
 * construction time linear in the strings (Aho and Corasick, 1975).
 */
export function redactTexts(texts: ReadonlySet<string>, mask: string): (text: string) => string {
  if (texts.size === 0) return (text) => text
  const automaton = buildAutomaton([...texts].sort())
  return (text) => {
    let masked = ''
    let done = 0
    for (const {start, end} of partsIn(text, automaton)) {
      masked += text.slice(done, start) + mask
      done = end
    }
    return masked + text.slice(done)
  }
}

/**
 * The trie of sorted strings, level by level: node 0 is the empty string, and the children of a node are
 * adjacent, in the order of their characters, from `children[node]` to `children[node + 1]`, exclusive.
 */
interface Automaton {
  readonly children: Uint32Array
  /** The character of the edge to a node. */
  readonly character: Uint16Array
  /** The distance of a node from the root. */
  readonly depth: Uint32Array
  /** The node of the longest proper suffix of a node's string that is a prefix of one of the strings. */
  readonly suffix: Uint32Array
  /**
   * The node itself if one of the strings ends there, else its longest suffix that is one of the strings; 0
   * for none.
   */
  readonly match: Uint32Array
}

function buildAutomaton(sorted: readonly string[]): Automaton {
  const size = countNodes(sorted)
  const automaton = {
    children: new Uint32Array(size + 1),
    character: new Uint16Array(size),
    depth: new Uint32Array(size),
    suffix: new Uint32Array(size),
    match: new Uint32Array(size),
  }
  // The strings that share a node's prefix: from `first`, inclusive, to `last`, exclusive.
  const first = new Uint32Array(size)
  const last = new Uint32Array(size)
  last[0] = sorted.length
  let next = 1
  for (let node = 0; node < size; node += 1) {
    automaton.children[node] = next
    const depth = automaton.depth[node]!
    let at = first[node]!
    if (node > 0 && sorted[at]!.length === depth) {
      automaton.match[node] = node
      at += 1
    } else automaton.match[node] = automaton.match[automaton.suffix[node]!]!
    while (at < last[node]!) {
      const character = sorted[at]!.charCodeAt(depth)
      first[next] = at
      while (at < last[node]! && sorted[at]!.charCodeAt(depth) === character) at += 1
      last[next] = at
      automaton.character[next] = character
      automaton.depth[next] = depth + 1
      automaton.suffix[next] = node === 0 ? 0 : step(automaton, automaton.suffix[node]!, character)
      next += 1
    }
  }
  automaton.children[size] = next
  return automaton
}

/**
 * Returns the number of nodes: the root, and one per character that a string does not share with the previous
 * one.
 */
function countNodes(sorted: readonly string[]): number {
  let size = 1
  let before = ''
  for (const text of sorted) {
    let shared = 0
    while (shared < before.length && before.charCodeAt(shared) === text.charCodeAt(shared)) shared += 1
    size += text.length - shared
    before = text
  }
  return size
}

/**
 * Returns the node after a character: a child of the node, or of its longest suffix that has such a child.
 */
function step(automaton: Automaton, from: number, character: number): number {
  for (let node = from; ; node = automaton.suffix[node]!) {
    const child = findChild(automaton, node, character)
    if (child !== 0 || node === 0) return child
  }
}

function findChild({children, character}: Automaton, node: number, wanted: number): number {
  const end = children[node + 1]!
  let low = children[node]!
  let high = end
  while (low < high) {
    const middle = (low + high) >>> 1
    if (character[middle]! < wanted) low = middle + 1
    else high = middle
  }
  return low < end && character[low] === wanted ? low : 0
}

/** Returns the parts of a string that must be masked, in order and without overlaps. */
function partsIn(text: string, automaton: Automaton): readonly Part[] {
  const parts: Part[] = []
  let node = 0
  for (let end = 1; end <= text.length; end += 1) {
    node = step(automaton, node, text.charCodeAt(end - 1))
    let start = longestBefore(text, end, node, automaton)
    if (start === undefined) continue
    while (parts.length > 0 && parts.at(-1)!.end > start) start = Math.min(start, parts.pop()!.start)
    parts.push({start, end})
  }
  return parts
}

/** Returns the start of the longest string to mask that ends at `end`. Only few candidates are short. */
function longestBefore(
  text: string,
  end: number,
  node: number,
  {depth, suffix, match}: Automaton,
): number | undefined {
  for (let at = match[node]!; at !== 0; at = match[suffix[at]!]!) {
    const start = end - depth[at]!
    if (
      end - start >= MIN_LENGTH_INSIDE_WORDS ||
      (!isLetter(before(text, start)) && !isLetter(text.codePointAt(end)))
    )
      return start
  }
  return undefined
}

function before(text: string, at: number): number | undefined {
  const isPair = /[\uDC00-\uDFFF]/.test(text[at - 1] ?? '') && /[\uD800-\uDBFF]/.test(text[at - 2] ?? '')
  return text.codePointAt(isPair ? at - 2 : at - 1)
}

function isLetter(codePoint: number | undefined): boolean {
  return codePoint !== undefined && LETTER.test(String.fromCodePoint(codePoint))
}
