/**
 * Returns a shell pattern as a regular expression, with the rules of Go's `filepath.Match` on Unix, which
 * Helm uses in `.helmignore`: `*` and `?` stop at a slash, only `^` negates a class. Undefined if Go calls
 * the pattern malformed.
 */
export function pathPattern(pattern: string): RegExp | undefined {
  const runes = [...pattern]
  let source = ''
  for (let at = 0; at < runes.length; at++) {
    const rune = runes[at]!
    if (rune === '*') source += '[^/]*'
    else if (rune === '?') source += '[^/]'
    else if (rune === '\\') {
      at++
      if (at === runes.length) return undefined
      source += literal(runes[at]!)
    } else if (rune === '[') {
      const characters = characterClass(runes, at + 1)
      if (!characters) return undefined
      source += characters.source
      at = characters.end
    } else source += literal(rune)
  }
  return new RegExp(`^${source}$`, 'su')
}

interface CharacterClass {
  readonly source: string
  /** The index of the closing bracket. */
  readonly end: number
}

function characterClass(runes: readonly string[], start: number): CharacterClass | undefined {
  const negated = runes[start] === '^'
  let at = negated ? start + 1 : start
  let ranges = ''
  for (let count = 0; runes[at] !== ']' || count === 0; count++) {
    const low = classMember(runes, at)
    if (!low) return undefined
    at = low.next
    let high = low
    if (runes[at] === '-') {
      const end = classMember(runes, at + 1)
      if (!end) return undefined
      high = end
      at = end.next
    }
    // In Go a reversed range matches nothing; JavaScript does not compile it.
    if (low.rune.codePointAt(0)! <= high.rune.codePointAt(0)!)
      ranges += `${codePoint(low.rune)}-${codePoint(high.rune)}`
    if (at >= runes.length) return undefined
  }
  return {source: `[${negated ? '^' : ''}${ranges}]`, end: at}
}

function classMember(runes: readonly string[], at: number): {rune: string; next: number} | undefined {
  const rune = runes[at]
  if (rune === undefined || rune === '-' || rune === ']') return undefined
  if (rune !== '\\') return {rune, next: at + 1}
  const escaped = runes[at + 1]
  return escaped === undefined ? undefined : {rune: escaped, next: at + 2}
}

function literal(rune: string): string {
  return /^[\w/]$/.test(rune) ? rune.replace('/', '\\/') : codePoint(rune)
}

function codePoint(rune: string): string {
  return `\\u{${rune.codePointAt(0)!.toString(16)}}`
}
