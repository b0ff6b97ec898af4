import {readFileSync} from 'node:fs'

interface Item {
  readonly text: string
  readonly link: string
}

export interface Group {
  readonly text: string
  readonly items: readonly Item[]
}

/** Returns the groups of `docs/README.md`: its headings, each with the pages in the list below it. */
export function readGroups(index: string | URL): readonly Group[] {
  const sections = readFileSync(index, 'utf8').split(/^##+ /m).slice(1)
  return sections
    .map((section) => ({
      text: section.slice(0, section.indexOf('\n')),
      items: [...section.matchAll(/^- \[([^\]]+)\]\(([^)]+)\)/gm)].map(([, text = '', target = '']) => ({
        text,
        link: routeOf(target),
      })),
    }))
    .filter(({items}) => items.length > 0)
}

/** Returns the address of a page on the site; `target` is relative to `docs/`. */
function routeOf(target: string): string {
  return target
    .replace(/^(\.\.)?\/?/, '/')
    .replace(/README\.md$/, '')
    .replace(/\.md$/, '')
}
