/**
 * Helm's lines on values that break schemas, in one order: it walks through maps, and so names the problems in another
 * order each time. Under the line of each chart they are sorted, and each keeps below it what is indented more.
 */
export function sortedProblems(lines: readonly string[]): readonly string[] {
  let chart = 0
  let above: readonly string[] = []
  const keyed = lines.map((line) => {
    const depth = line.search(/\S/) / 2
    const isProblem = line.trimStart().startsWith('- ')
    if (!isProblem) chart++
    above = isProblem ? [...above.slice(0, depth), line] : []
    return {line, key: [String(chart).padStart(4, '0'), ...above].join('\0')}
  })
  return keyed.sort((a, b) => (a.key < b.key ? -1 : 1)).map(({line}) => line)
}
