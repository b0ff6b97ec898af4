import type {Pages} from '../state/pages.ts'

/** A page of the documentation. */
export interface DocsPage {
  /** The name of its file, without the extension. */
  readonly name: string
  readonly title: string
  /** What it is about, in one line. */
  readonly about: string
  /** Markdown. */
  readonly text: string
}

/** A section that contains the words of a search. */
export interface FoundSection {
  readonly page: string
  readonly section: string
  /** The first line with one of the words. */
  readonly line: string
}

/** The page that lists all others, each with one line: `- [Title](name.md): what it is about.` */
const CONTENTS = 'README.md'
const LISTED = /^- \[([^\]]+)\]\(([^)]+\.md)\)(?:, [^:]*)?: (.+)$/gm

/** Returns the pages in the order of their contents; then those that it does not list. */
export function docsPages(pages: Pages): readonly DocsPage[] {
  const listed = [...(pages[CONTENTS] ?? '').matchAll(LISTED)].flatMap(([, , file = '', about = '']) =>
    pages[file] === undefined ? [] : [docsPage(file, pages[file], about)],
  )
  const names = new Set(listed.map(({name}) => name))
  const others = Object.entries(pages)
    .map(([file, text]) => docsPage(file, text, ''))
    .filter(({name}) => name !== 'README' && !names.has(name))
  return [...listed, ...others]
}

function docsPage(file: string, text: string, about: string): DocsPage {
  const [, title = file] = /^# (.+)$/m.exec(text) ?? []
  return {name: file.replace(/^.*\/|\.md$/g, ''), title, about, text}
}

/** The most sections that a search returns. */
const MAX_FOUND = 20

/**
 * Returns the sections that contain all words, whatever their case: first those with a word in the title,
 * then those with one in the first cell of a table's row.
 */
export function searchDocs(pages: readonly DocsPage[], words: readonly string[]): readonly FoundSection[] {
  const wanted = words.map((word) => word.toLowerCase())
  const found = pages.flatMap(({name, text}) =>
    text.split(/^(?=#{1,3} )/m).flatMap((part) => {
      const lines = part.split('\n')
      const lower = part.toLowerCase()
      if (!wanted.every((word) => lower.includes(word))) return []
      const [heading = ''] = lines
      const has = (line: string) => wanted.some((word) => line.toLowerCase().includes(word))
      const row = lines.find((line) => has(/^\|[^|]*\|/.exec(line)?.[0] ?? ''))
      const line = row ?? lines.slice(1).find(has) ?? heading
      const rank = has(heading) ? 0 : row === undefined ? 2 : 1
      return [{rank, section: {page: name, section: heading.replace(/^#+ /, ''), line: line.trim()}}]
    }),
  )
  return found
    .toSorted((one, other) => one.rank - other.rank)
    .slice(0, MAX_FOUND)
    .map(({section}) => section)
}
