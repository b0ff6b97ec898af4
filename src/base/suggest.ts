/**
 * Returns the candidate closest to a misspelled word, for "did you mean"; undefined if more than `most` of
 * the letters, by default a third, differ from every candidate. The first candidate wins a tie.
 */
export function suggest(
  word: string,
  candidates: Iterable<string>,
  most = Math.floor(word.length / 3),
): string | undefined {
  let best: string | undefined
  let least = Math.max(1, most) + 1
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - word.length) >= least) continue
    const count = distance(word.toLowerCase(), candidate.toLowerCase())
    if (count >= least) continue
    best = candidate
    least = count
  }
  return best
}

/** Returns the Levenshtein distance, counting a swap of two adjacent characters as one step. */
function distance(from: string, to: string): number {
  let before: number[] = []
  let above = Array.from({length: to.length + 1}, (_, index) => index)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1]
      const swapped =
        row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const steps = [current[column - 1]! + 1, above[column]! + 1, above[column - 1]! + (same ? 0 : 1)]
      if (swapped) steps.push(before[column - 2]! + 1)
      current.push(Math.min(...steps))
    }
    before = above
    above = current
  }
  return above.at(-1)!
}
