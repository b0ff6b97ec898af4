import {readFileSync} from 'node:fs'
import {join} from 'node:path'
import {describe, expect, it} from 'vitest'
import {readPages} from './support/pages.ts'

const {text} = readPages().find(({path}) => path === 'docs/helm-gaps.md')!
const SHOWN_IN = 'test/long/helm-gaps.test.ts'

interface Gap {
  readonly title: string
  /** Of the test with plain helm. */
  readonly shownBy: string | undefined
  /** Of the test of kk's answer, and its file. */
  readonly answer: string | undefined
  readonly file: string | undefined
  readonly upstream: string
}

const gaps: readonly Gap[] = text
  .split(/^### /m)
  .slice(1)
  .map((section) => {
    const [, answer, file] = /^- kk: `([^`]+)`\s+in\s+\[([^\]]+)\]/m.exec(section) ?? []
    return {
      title: section.split('\n')[0]!,
      shownBy: /^- shown by: `([^`]+)`$/m.exec(section)?.[1],
      answer,
      file,
      upstream: /^- upstream: (.*)/m.exec(section)?.[1] ?? '',
    }
  })

/** The names of the tests in a file, as they are written there. */
function testsIn(file: string): readonly string[] {
  const source = readFileSync(join(import.meta.dirname, '../..', file), 'utf8')
  // Of one with cases, `it.each(…)('…'`, what closes the cases is before its name.
  const found = source.matchAll(/(?:\b(?:it|test)|\))\(\s*'([^']+)'/g)
  return [...found].map(([, name = '']) => name)
}

describe.each(gaps)('the gap of helm: $title', ({shownBy, answer, file, upstream}) => {
  it('is shown by a test with plain helm', () => {
    expect(testsIn(SHOWN_IN)).toContain(shownBy)
  })

  it('has an answer of kk that a test proves', () => {
    expect(testsIn(file!)).toContain(answer)
  })

  it('has a link to an upstream thread', () => {
    expect(upstream).toMatch(/\(https:\/\/github\.com\/[\w.-]+\/[\w.-]+\/(issues|pull)\/\d+\)/)
  })
})

it('every test with plain helm is listed in docs/helm-gaps.md', () => {
  expect(testsIn(SHOWN_IN).toSorted()).toEqual(gaps.map(({shownBy}) => shownBy).toSorted())
})
