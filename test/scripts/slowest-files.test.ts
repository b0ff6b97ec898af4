import {expect, it} from 'vitest'
import {slowestFiles} from '../../scripts/slowest-files.ts'

it('the twenty slowest test files are shown, the slowest first', () => {
  const times = Array.from({length: 25}, (_, index) => ({
    file: `test/${index}.test.ts`,
    milliseconds: index * 1500,
  }))

  const lines = slowestFiles(times).split('\n')

  expect(lines.slice(0, 3)).toEqual(['', 'the slowest of 25 files:', '   36.0 s  test/24.test.ts'])
  expect(lines).toHaveLength(22)
  expect(lines.at(-1)).toBe('    7.5 s  test/5.test.ts')
})
