import {execaSync} from 'execa'
import {expect, it} from 'vitest'
import {quoted, shellWord} from '../../src/base/shell.ts'

it.each(['', 'plain', "it's", '$HOME `id` "x"', 'a\\b', 'two\nlines', '*', '~', 'a;b', '#'])(
  'a shell reads %j as it is',
  (text) => {
    const words = [quoted(text), shellWord(text)]
    for (const word of words)
      expect(execaSync('sh', ['-c', `printf %s ${word}`], {stripFinalNewline: false}).stdout).toBe(text)
  },
)

it('leaves words alone that need no quotes', () => {
  expect(shellWord('--set=a.b/c:d,e@1%+_')).toBe('--set=a.b/c:d,e@1%+_')
  expect(shellWord('two words')).toBe("'two words'")
})
