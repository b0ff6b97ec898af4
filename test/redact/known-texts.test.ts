import fc from 'fast-check'
import {describe, expect, it} from 'vitest'
import {redactTexts} from '../../src/redact/known-texts.ts'

/** The same found the slow way: each text at each place. */
function masked(text: string, texts: readonly string[]): string {
  const parts = texts.flatMap((each) => placesOf(each, text)).sort((a, b) => a.start - b.start)
  let shown = ''
  let done = 0
  let hidden = 0
  for (const {start, end} of parts) {
    if (start >= hidden) shown += `${text.slice(done, start)}***`
    hidden = Math.max(hidden, end)
    done = hidden
  }
  return shown + text.slice(done)
}

function placesOf(secret: string, text: string): {start: number; end: number}[] {
  const isPart = /^[\p{L}\p{N}]/u
  const places = []
  for (let start = text.indexOf(secret); start !== -1; start = text.indexOf(secret, start + 1)) {
    const end = start + secret.length
    const isWord = !isPart.test([...text.slice(0, start)].at(-1) ?? '') && !isPart.test(text.slice(end))
    if (isWord || secret.length >= 12) places.push({start, end})
  }
  return places
}

describe('redactTexts', () => {
  it.each([
    [
      'texts that overlap, as one',
      ['abcdefghijklmnop', 'klmnopqrstuvwxyz'],
      'x abcdefghijklmnopqrstuvwxyz y',
      'x *** y',
    ],
    ['texts that touch, each', ['abcdefghijkl', 'mnopqrstuvwx'], 'abcdefghijklmnopqrstuvwx', '******'],
    ['the longest of those that begin alike', ['abcdef', 'abcdef-ghi'], 'abcdef-ghi abcdef', '*** ***'],
    ['one that ends inside another', ['b-cdef', 'a-b-cdef-g'], 'a-b-cdef-h', 'a-***-h'],
    ['short ones only as words', ['abcdef'], 'xabcdef abcdefü abcdef😀', 'xabcdef abcdefü ***😀'],
  ])('masks %s', (_, texts, text, masked) => {
    expect(redactTexts(new Set(texts), '***')(text)).toBe(masked)
  })

  it('masks the same parts as a search for each string', () => {
    const character = fc.constantFrom('a', 'b', '-', 'ü', '😀', '𝒜')
    const secret = fc.string({unit: character, minLength: 1, maxLength: 14})
    fc.assert(
      fc.property(
        fc.array(secret, {maxLength: 12}),
        fc.string({unit: character, maxLength: 60}),
        (texts, text) => {
          expect(redactTexts(new Set(texts), '***')(text)).toBe(masked(text, texts))
        },
      ),
      {numRuns: 2000},
    )
  })

  it.each([
    ['a long one that begins as the text goes on', [`${'a'.repeat(200_000)}b`], 'a'.repeat(200_000)],
    ['one in another', Array.from({length: 600}, (_, at) => `${'a'.repeat(at + 12)}`), 'a-'.repeat(200_000)],
    [
      'many that begin alike',
      Array.from({length: 20_000}, (_, at) => `${'a'.repeat(40)}${at}`),
      'a'.repeat(300_000),
    ],
  ])('is fast with %s', (_, texts, text) => {
    expect(redactTexts(new Set(texts), '***')(text)).toBe(text)
  })
})
