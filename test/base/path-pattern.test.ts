import {expect, it} from 'vitest'
import {pathPattern} from '../../src/base/path-pattern.ts'

// From the table of Go's own test, path/filepath/match_test.go.
it.each([
  ['abc', 'abc', true],
  ['*', 'abc', true],
  ['*c', 'abc', true],
  ['a*', 'ab/c', false],
  ['a*/b', 'abc/b', true],
  ['a*/b', 'a/c/b', false],
  ['a*b*c*d*e*/f', 'axbxcxdxexxx/f', true],
  ['a*b?c*x', 'abxbbxdbxebxczzx', true],
  ['ab[c]', 'abc', true],
  ['ab[b-d]', 'abc', true],
  ['ab[e-g]', 'abc', false],
  ['ab[^c]', 'abc', false],
  ['ab[^e-g]', 'abc', true],
  ['a\\*b', 'a*b', true],
  ['a\\*b', 'ab', false],
  ['a?b', 'a☺b', true],
  ['a[^a]b', 'a☺b', true],
  ['a???b', 'a☺b', false],
  ['[a-ζ]*', 'α', true],
  ['*[a-ζ]', 'A', false],
  ['a?b', 'a/b', false],
  ['[\\]a]', ']', true],
  ['[\\-x]', '-', true],
  ['[x\\-]', 'x', true],
  ['[z-a]', 'b', false],
  ['a.b', 'axb', false],
  ['a]', 'a]', true],
])('%s matches %s: %s', (pattern, name, matches) => {
  expect(pathPattern(pattern)?.test(name)).toBe(matches)
})

it.each(['[]a]', '[-]', '[x-]', '[-x]', '[a-b-c]', '[', '[^', '[^bc', 'a[', '[^]', 'a\\'])(
  '%s is malformed',
  (pattern) => {
    expect(pathPattern(pattern)).toBeUndefined()
  },
)
