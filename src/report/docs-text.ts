import type {DocsPage, FoundSection} from '../verbs/docs.ts'
import type {Palette} from './colour.ts'
import {list} from './table.ts'
import type {Part, View} from './text/view.ts'
import {markdownPart} from './topics.ts'

/** Returns the pages with one line each. */
export function pagesText(pages: readonly DocsPage[], palette: Palette): View {
  return [
    list(pages, [({name}) => palette.accent(name), ({title, about}) => about || title]),
    '',
    'kk docs PAGE prints a page, kk docs WORD... searches all of them.',
  ]
}

/** Returns a page for a terminal. */
export function pageText({text}: DocsPage, palette: Palette): View {
  const blocks =
    text.replaceAll(/^<!--.*-->\n/gm, '').match(/^```[\s\S]*?^```$|(?:^(?!```).*\S.*\n?)+/gm) ?? []
  return blocks.flatMap((block): readonly Part[] => {
    const [, heading] = /^#+ (.+)/.exec(block) ?? []
    const part = heading === undefined ? markdownPart(block.trimEnd(), palette) : palette.strong(heading)
    return [part, '']
  })
}

/** Returns the sections that a search has found, each with its page and its first line. */
export function foundText(found: readonly FoundSection[], palette: Palette): View {
  return [
    list(found, [
      ({page}) => palette.accent(page),
      ({section}) => palette.strong(section),
      ({line}) => (line.length > MAX_CHARACTERS ? `${line.slice(0, MAX_CHARACTERS)}…` : line),
    ]),
    '',
    'kk docs PAGE prints a page.',
  ]
}

const MAX_CHARACTERS = 100
