import type {Palette} from './colour.ts'
import {list} from './table.ts'
import type {Part, View} from './text/view.ts'

/** A term that the concepts page explains. */
export interface Topic {
  readonly title: string
  /** Markdown, without the title. */
  readonly text: string
}

/**
 * Returns the terms that the page explains: paragraphs that begin with a bold word, and the other sections.
 */
export function topicsOf(page: string): readonly Topic[] {
  const sections = page.split(/^## /m).slice(1)
  return sections.flatMap((section) => {
    const [title = '', ...lines] = section.split('\n')
    const text = lines.join('\n').trim()
    if (title !== 'Words') return [{title, text}]
    return text.split(/^(?=\*\*[^*]+\.\*\* )/m).map((word) => {
      const [, name = '', rest = ''] = /^\*\*([^*]+)\.\*\* ([\s\S]*)$/.exec(word) ?? []
      return {title: name, text: rest.trim()}
    })
  })
}

/**
 * Returns the topic of a word, whatever its number and case: `layer` finds "Layers", `edge` "Kind of an
 * edge".
 */
export function findTopic(topics: readonly Topic[], word: string): Topic | undefined {
  const wanted = singular(word)
  return (
    topics.find(({title}) => singular(title) === wanted) ??
    topics.find(({title}) => title.split(/\W+/).some((part) => part.length > 3 && singular(part) === wanted))
  )
}

/** Returns a topic for a terminal: links without their targets, tables in columns. */
export function topicText({title, text}: Topic, palette: Palette): View {
  return [palette.strong(title), ...text.split(/\n\n+/).flatMap((part) => ['', markdownPart(part, palette)])]
}

/** Returns a paragraph, a table, a list or a block of code for a terminal. */
export function markdownPart(part: string, palette: Palette): Part {
  if (part.startsWith('|')) {
    const lines = part.split('\n').filter((line) => !/^\|[\s|-]+\|$/.test(line))
    const [heads = [], ...rows] = lines.map((line) =>
      line
        .replaceAll(/^\| | \|$/g, '')
        .split(' | ')
        .map((cell) => plain(cell, palette)),
    )
    const columns = heads.map((head, at) => [head, (row: readonly string[]) => row[at] ?? ''] as const)
    return list(rows, Object.fromEntries(columns))
  }
  if (part.startsWith('```'))
    return part
      .replaceAll(/^```.*$\n?/gm, '')
      .replaceAll(/^/gm, '  ')
      .trimEnd()
  // One line for each paragraph and item: the terminal breaks it.
  return plain(part.replaceAll(/\n(?!\d+\. |- )\s*/g, ' '), palette)
}

function plain(text: string, palette: Palette): string {
  return text
    .replaceAll(/!?\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replaceAll(/\*\*([^*]+)\*\*/g, (_, word: string) => palette.strong(word))
    .replaceAll(/`([^`]+)`/g, (_, code: string) => palette.accent(code))
}

function singular(word: string): string {
  return word.toLowerCase().replace(/s$/, '')
}
