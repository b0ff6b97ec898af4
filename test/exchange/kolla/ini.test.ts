import {expect, it} from 'vitest'
import {readIni} from '../../../src/exchange/kolla/ini.ts'

const read = (text: string) => readIni({file: 'a.conf', text})

it.each([
  ['both separators', '[a]\nb = c = d\ne: f:g\n', {a: {b: 'c = d', e: 'f:g'}}],
  ['comments and empty lines', '# x\n\n[a]\n; y = z\nb = c # d\n', {a: {b: 'c # d'}}],
  ['lines that go on', '[a]\nb = c,\n   d\n\n', {a: {b: 'c,\nd'}}],
  ['nothing', '[a]\nb =\n', {a: {b: ''}}],
  ['what stands twice', '[a]\nb = 1\nb = 2\n', {a: {b: {type: 'multistring', values: ['1', '2']}}}],
  ['a section in two places', '[a]\nb = 1\n[c]\n[a]\nd = 2\n', {a: {b: '1', d: '2'}, c: {}}],
  ['line ends of Windows', '[a]\r\nb = c\r\n', {a: {b: 'c'}}],
  ['a filter of paste', '[filter:x y]\nb = c\n', {'filter:x y': {b: 'c'}}],
])('%s', (_, text, options) => {
  expect(read(text)).toEqual(options)
})

it.each([
  ['[a\n', 'a.conf:1: expected [section]'],
  ['[a]\nmarked-secret\n', 'a.conf:2: expected option = value'],
  ['\nb = c\n', 'a.conf:2: expected a [section] before the first option'],
])('rejects %j: %s', (text, message) => {
  expect(() => read(text)).toThrow(expect.objectContaining({code: 'KK_KOLLA', message}))
})
