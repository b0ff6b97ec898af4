import {readFileSync, writeFileSync} from 'node:fs'
import {join} from 'node:path'
import {expect, it} from 'vitest'
import {readChanges, withSection} from '../../scripts/changelog.ts'
import {testDirectory} from '../support/test-directory.ts'

const CHANGELOG = '# Changelog\n\nNewest first.\n\n## 0.1.0\n\n- The first.\n'

/** A directory with these files, as docs/changes/ is. */
function changes(files: Readonly<Record<string, string>>): string {
  const directory = testDirectory()
  for (const [name, text] of Object.entries({'README.md': '# Changes\n', ...files}))
    writeFileSync(join(directory, name), text)
  return directory
}

it('the changes become a section above the others, grouped by kind, with links from the root', () => {
  const directory = changes({
    'masks-know-hex.fixed.md': 'Masks know hex.\n',
    'a-gate.added.md': 'A gate, see [safety](../safety.md#checks)\nand [why](../../README.md).\n',
    'base64.fixed.md': 'Masks know base64.\n',
  })

  const text = withSection(CHANGELOG, '0.2.0', readChanges(directory))

  expect(text).toBe(`# Changelog

Newest first.

## 0.2.0

### Added

- A gate, see [safety](docs/safety.md#checks)
  and [why](README.md).

### Fixed

- Masks know base64.
- Masks know hex.

## 0.1.0

- The first.
`)
})

it.each([
  ['a kind that there is not', {'hex.mended.md': 'Masks know hex.'}, 'got hex.mended.md'],
  ['no kind', {'hex.md': 'Masks know hex.'}, 'got hex.md'],
  ['no text', {'hex.fixed.md': '\n'}, 'hex.fixed.md: expected a sentence'],
  ['a dash', {'hex.fixed.md': '- Masks know hex.'}, 'hex.fixed.md: expected a sentence'],
])('a file with %s is refused', (_, files, message) => {
  expect(() => readChanges(changes(files))).toThrow(message)
})

it.each([
  ['a section that there is', '0.1.0', 'has a section 0.1.0 already'],
  ['no version', '', 'expected a version'],
])('%s is refused', (_, version, message) => {
  const found = readChanges(changes({'hex.fixed.md': 'Masks know hex.'}))

  expect(() => withSection(CHANGELOG, version, found)).toThrow(message)
})

it('the change files since the last version are valid', () => {
  expect(() => readChanges('docs/changes')).not.toThrow()
})

it('the section of a version has at most 60 lines', () => {
  const sections = readFileSync('CHANGELOG.md', 'utf8')
    .split(/^(?=## )/m)
    .slice(1)

  expect(sections.map((section) => section.trim().split('\n').length).filter((lines) => lines > 60)).toEqual(
    [],
  )
})
