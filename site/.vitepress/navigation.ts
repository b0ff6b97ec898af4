import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {sitePath} from './links.ts'

interface Item {
  readonly text: string
  readonly link: string
}

export interface Group {
  readonly text: string
  readonly items: readonly Item[]
}

/** Returns the groups of `docs/README.md`: its headings, each with the pages in the list below it. */
export function readGroups(index: string): readonly Group[] {
  const sections = readFileSync(index, 'utf8').split(/^##+ /m).slice(1)
  return sections
    .map((section) => ({
      text: section.slice(0, section.indexOf('\n')),
      items: [...section.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)/gm)].flatMap(([, text = '', target = '']) => {
        const page = sitePath(join('docs', target))
        return page === undefined ? [] : [{text, link: `/${page.replace(/(index)?\.md$/, '')}`}]
      }),
    }))
    .filter(({items}) => items.length > 0)
}
