/** A text of this length is nobody's word by accident: it is masked inside other words, too. */
const LONG = 12
const LETTER = /[\p{L}\p{N}]/u

/** A part of a text, by its offsets; the character at `end` is the first one behind it. */
interface Part {
  readonly start: number
  readonly end: number
}

/**
 * Returns a function that puts a mask in the place of each of these texts, and of those that overlap; short ones only where
 * they are no part of a word. Its time is linear in the text, that of making it in the texts (Aho and Corasick, 1975).
 */
export function redactTexts(texts: ReadonlySet<string>, mask: string): (text: string) => string {
  if (texts.size === 0) return (text) => text
  const automaton = automatonOf([...texts].sort())
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
 * The trie of sorted texts, level by level: node 0 is the empty text, and the children of a node stand side by side, in the
 * order of their characters, from `children[node]` up to `children[node + 1]`.
 */
interface Automaton {
  readonly children: Uint32Array
  /** The character that leads to a node, and how many lead there from the root. */
  readonly character: Uint16Array
  readonly depth: Uint32Array
  /** The node of the longest end of a node's text that begins another text. */
  readonly suffix: Uint32Array
  /** The node itself if a text ends there, else the longest such end of it; 0 for none. */
  readonly found: Uint32Array
}

function automatonOf(sorted: readonly string[]): Automaton {
  const size = sizeOf(sorted)
  const automaton = {
    children: new Uint32Array(size + 1),
    character: new Uint16Array(size),
    depth: new Uint32Array(size),
    suffix: new Uint32Array(size),
    found: new Uint32Array(size),
  }
  // The texts that go through a node: those from `first` up to the first of the next node of its level.
  const first = new Uint32Array(size)
  const last = new Uint32Array(size)
  last[0] = sorted.length
  let next = 1
  for (let node = 0; node < size; node += 1) {
    automaton.children[node] = next
    const depth = automaton.depth[node]!
    let at = first[node]!
    if (node > 0 && sorted[at]!.length === depth) {
      automaton.found[node] = node
      at += 1
    } else automaton.found[node] = automaton.found[automaton.suffix[node]!]!
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

/** One node for the root, and one for each character that a text does not share with the one before it. */
function sizeOf(sorted: readonly string[]): number {
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

/** Returns the node to which a character leads from a node: a child of it, or of the longest end of it that has one. */
function step(automaton: Automaton, from: number, character: number): number {
  for (let node = from; ; node = automaton.suffix[node]!) {
    const child = childOf(automaton, node, character)
    if (child !== 0 || node === 0) return child
  }
}

function childOf({children, character}: Automaton, node: number, wanted: number): number {
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

/** The parts of a text that are to be masked, in order; none overlap. */
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

/** Returns where the longest text begins that ends here and is to be masked. At most a few are short. */
function longestBefore(
  text: string,
  end: number,
  node: number,
  {depth, suffix, found}: Automaton,
): number | undefined {
  for (let at = found[node]!; at !== 0; at = found[suffix[at]!]!) {
    const start = end - depth[at]!
    if (end - start >= LONG || (!isLetter(before(text, start)) && !isLetter(text.codePointAt(end))))
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
