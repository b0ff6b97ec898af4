import {globSync, readFileSync} from 'node:fs'
import {relative} from 'node:path'
import {describe, expect, it} from 'vitest'
import {withMadeParts} from '../../scripts/docs/marked.ts'
import {madePages} from '../../scripts/docs.ts'
import {contents} from '../../scripts/package/contents.ts'
import {commandsOf} from '../../src/cli/reference.ts'
import {table} from '../../src/table.js'

const pages = (await madePages()).map(({path, text}) => ({page: relative(process.cwd(), path), text}))

it.each(pages)('$page is what npm run docs writes', ({page, text}) => {
  expect(readFileSync(page, 'utf8'), 'run: npm run docs').toBe(text)
})

it('docs/commands has a page for each command, and no other', () => {
  const files = globSync('docs/commands/*')

  expect(files.toSorted()).toEqual(
    pages
      .map(({page}) => page)
      .filter((page) => files.includes(page))
      .toSorted(),
  )
  expect(files).toHaveLength(commandsOf(table).length)
})

it('docs/permissions has the roles of the page, one file for each heading, and no other file', async () => {
  const page = readFileSync('docs/permissions.md', 'utf8')
  const files = globSync('docs/permissions/*').toSorted()
  const blocks = [...page.matchAll(/<!-- made: (\w+) -->\s+```yaml\n([\s\S]+?)```/g)]

  expect(files).toEqual(blocks.map(([, name]) => `docs/permissions/kk-${name}.yaml`).toSorted())
  for (const [, name, block] of blocks) {
    const text = readFileSync(`docs/permissions/kk-${name}.yaml`, 'utf8')
    expect(text.replace(/^(#.*\n)+/, '')).toBe(block)
  }
})

it('a package has the files of docs/permissions', async () => {
  const release = {version: '0.0.0', date: new Date(0), commit: '', licenses: ''}
  const entries = await contents(Buffer.from('kk'), 'deb', release)
  const packed = entries.filter(({path}) => path.startsWith('share/doc/kk/permissions/'))

  const files = packed.map(({path, content}) => [path.replace('share/doc/kk/', 'docs/'), String(content)])
  const expected = globSync('docs/permissions/*').map((path) => [path, readFileSync(path, 'utf8')])
  expect(Object.fromEntries(files)).toEqual(Object.fromEntries(expected))
})

describe('the generated parts of a page', () => {
  it('replace the content between the marks, and nothing else', () => {
    const page = 'before\n<!-- made: keys -->\nold\n<!-- end -->\nafter\n'

    expect(withMadeParts(page, {keys: 'new\n'})).toBe(
      'before\n<!-- made: keys -->\n\nnew\n\n<!-- end -->\nafter\n',
    )
  })

  it('are refused if a mark has no generator, or a part has no mark', () => {
    expect(() => withMadeParts('<!-- made: kyes -->\n<!-- end -->', {keys: ''})).toThrow('kyes')
    expect(() => withMadeParts('no marks', {keys: ''})).toThrow('keys')
  })
})
