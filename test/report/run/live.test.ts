import {expect, it} from 'vitest'
import {canDrawLive} from '../../../src/report/run/terminal.ts'

it.each([
  ['a terminal', {isTTY: true}, {TERM: 'xterm'}, true],
  ['a terminal that does not say which', {isTTY: true}, {}, true],
  ['a dumb terminal', {isTTY: true}, {TERM: 'dumb'}, false],
  ['a pipe', {}, {TERM: 'xterm'}, false],
])('a board can be drawn on %s: %j %j → %s', (_name, stream, env, expected) => {
  expect(canDrawLive(stream, env)).toBe(expected)
})
