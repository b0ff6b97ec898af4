import {existsSync, readdirSync} from 'node:fs'
import {dirname, join, relative} from 'node:path'
import {expect, it} from 'vitest'
import {type Page, proseOf, readPages} from './support/pages.ts'

const pages = readPages()

/** The places in a page that `page.md#place` can lead to, as GitHub makes them of headings. */
function placesOf(page: Page): readonly string[] {
  const headings = proseOf(page).matchAll(/^#+ +(.*)$/gm)
  return [...headings].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** The links of a page that lead nowhere; those to other sites are not looked at. */
function brokenLinks(page: Page, all: readonly Page[]): string[] {
  const links = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return links.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false
    const [file = '', place] = target.split('#')
    const path = file === '' ? page.path : relative('', join(dirname(page.path), file))
    if (!existsSync(path)) return true
    const linked = all.find((each) => each.path === path)
    return place !== undefined && !(linked && placesOf(linked).includes(place))
  })
}

it.each(pages)('every link and picture of $path has an existing target', (page) => {
  expect(brokenLinks(page, pages)).toEqual([])
})

it('a link to a missing file or heading is found', () => {
  const page = {path: 'docs/README.md', text: '# A title\n[a](#a-title) [b](#b) ![c](c.svg) [d](../LICENSE)'}

  expect(brokenLinks(page, [page])).toEqual(['#b', 'c.svg'])
})

it('every page of docs/ is in its index', () => {
  const index = pages.find(({path}) => path === 'docs/README.md')!.text
  const missing = pages
    .map(({path}) => relative('docs', path))
    .filter((path) => /^[\w-]+\.md$/.test(path) && path !== 'README.md' && !index.includes(`](${path})`))

  expect(missing).toEqual([])
})

it('every picture is on a page', () => {
  const shown = pages.map(({text}) => text).join('\n')
  const missing = readdirSync('docs/images').filter((file) => !shown.includes(`images/${file})`))

  expect(missing).toEqual([])
})
