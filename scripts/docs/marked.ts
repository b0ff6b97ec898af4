/**
 * A page with each of its generated parts replaced: `<!-- made: NAME -->` … `<!-- end -->`. Throws for a part
 * that the page does not have, and for one that no script generates.
 */
export function withMadeParts(page: string, parts: Readonly<Record<string, string>>): string {
  const missing = new Set(Object.keys(parts))
  const text = page.replace(/(<!-- made: ([\w-]+) -->\n).*?(<!-- end -->)/gs, (_, open, name, close) => {
    const part = parts[name]
    if (part === undefined) throw new Error(`nothing makes the part ${name}`)
    missing.delete(name)
    return `${open}\n${part.trim()}\n\n${close}`
  })
  if (missing.size === 0) return text
  throw new Error(`the page has no place for ${[...missing].join(', ')}`)
}

/** A table in Markdown; a cell may hold any string without line breaks. */
export function markdownTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(headings), line(headings.map(() => '---')), ...rows.map(line)].join('\n')
}
