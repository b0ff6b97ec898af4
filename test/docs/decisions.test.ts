import {globSync} from 'node:fs'
import {basename} from 'node:path'
import {describe, expect, it} from 'vitest'
import {readPages} from './support/pages.ts'

const STATUS =
  /^(\d{4}-\d\d-\d\d) · (?:accepted(?:, (?:corrected|extended) on \d{4}-\d\d-\d\d)*|superseded by \[.+\]\(.+\.md\))$/
const PARTS = ['## Context', '## Decision', '## Consequences']

/** Returns what a page of a decision lacks: a title, its date and status, and its parts in their order. */
function lacks(file: string, text: string): readonly string[] {
  const lines = text.split('\n')
  const [title = '', , line = ''] = lines
  const date = STATUS.exec(line)?.[1]
  const parts = lines.filter((each) => PARTS.includes(each))
  return [
    ...(/^# (?!\d)/.test(title) ? [] : ['a title']),
    ...(date !== undefined && file.startsWith(`${date}-`) ? [] : ['its date and status']),
    ...(parts.join() === PARTS.join() ? [] : ['context, decision and consequences']),
  ]
}

describe('a decision has a title, its date and status, context, decision and consequences', () => {
  const pages = readPages().filter(({path}) => /^docs\/decisions\/\d/.test(path))

  it.each(pages)('$path', ({path, text}) => {
    expect(lacks(basename(path), text)).toEqual([])
  })

  it('all of them', () => {
    expect(pages.length).toBe(globSync('docs/decisions/[0-9]*.md').length)
    expect(pages.length).toBeGreaterThan(20)
  })
})

const WHOLE = '# A title\n\n2026-11-28 · accepted\n\n## Context\n\n## Decision\n\n## Consequences\n'

it.each([
  [WHOLE, []],
  [WHOLE.replace('accepted', 'accepted, corrected on 2026-11-29'), []],
  [WHOLE.replace('accepted', 'superseded by [another](2026-11-29-another.md)'), []],
  [WHOLE.replace(' · accepted', ''), ['its date and status']],
  [WHOLE.replace('11-28', '11-27'), ['its date and status']],
  [WHOLE.replace('# A title', '# 2026-11-28: a title'), ['a title']],
  [WHOLE.replace('## Decision', '## What was decided'), ['context, decision and consequences']],
  [WHOLE.replace('## Consequences\n', ''), ['context, decision and consequences']],
])('%j is missing in %j', (text, lacking) => {
  expect(lacks('2026-11-28-a-page.md', text)).toEqual(lacking)
})
