import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {wrapComments, writtenFiles} from '../../scripts/comments.ts'

const ROOT = join(import.meta.dirname, '../..')

it.each([
  [
    'a comment of one line',
    '  /** Returns the chart of a release. */',
    ['  /**', '   * Returns the chart of', '   * a release.', '   */'],
  ],
  [
    'a paragraph with its following lines',
    ['/**', ' * Returns the chart of a release.', ' * Throws when it has none.', ' */'].join('\n'),
    ['/**', ' * Returns the chart of a', ' * release. Throws when it', ' * has none.', ' */'],
  ],
  [
    'lines after slashes',
    '// Returns the chart of a release.\nconst a = 1',
    ['// Returns the chart of a', '// release.', 'const a = 1'],
  ],
  [
    'an item, whose further lines are indented',
    ['/**', ' * - the chart of a release that is', ' *   deployed', ' * - another', ' */'].join('\n'),
    ['/**', ' * - the chart of a', ' *   release that is', ' *   deployed', ' * - another', ' */'],
  ],
  [
    'a last line that ends the comment',
    ['/**', ' * Throws when it has none. */'].join('\n'),
    ['/**', ' * Throws when it has', ' * none.', ' */'],
  ],
])('wrapComments wraps %s', (_, source, expected) => {
  expect(wrapComments(source, 26).split('\n')).toEqual(expected)
})

it.each([
  ['code', `const words = ['a long array', 'of strings']`],
  ['a table', ['/**', ' *   crash-loop:TAG      ends with exit code 1', ' */'].join('\n')],
  [
    'a case of a shell script',
    ['const script = `case $1 in', "  *'a long pattern of words') echo", '  * ) echo', 'esac`'].join('\n'),
  ],
  ['lines of different lengths that all fit', ['/**', ' * One.', ' * Two words.', ' */'].join('\n')],
])('wrapComments does not change %s', (_, source) => {
  expect(wrapComments(source, 26)).toBe(source)
})

it('every comment is at most as wide as a line of code: npm run format', async () => {
  const files = await writtenFiles()
  const unwrapped = files.filter((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8')
    return wrapComments(source) !== source
  })

  expect(unwrapped).toEqual([])
})
