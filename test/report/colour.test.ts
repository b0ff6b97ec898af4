import {describe, expect, it} from 'vitest'
import {type ColourStream, colourLevel, palette} from '../../src/report/colour.ts'

const terminal: ColourStream = {isTTY: true, getColorDepth: () => 8}
const pipe: ColourStream = {}

describe('colourLevel', () => {
  it.each([
    ['a terminal', terminal, {}, undefined, 2],
    ['a terminal of millions of colours', {isTTY: true, getColorDepth: () => 24}, {}, undefined, 3],
    ['a terminal without colours', {isTTY: true, getColorDepth: () => 1}, {}, undefined, 0],
    ['a pipe', pipe, {}, undefined, 0],
    ['TERM=dumb', terminal, {TERM: 'dumb'}, undefined, 0],
    ['NO_COLOR', terminal, {NO_COLOR: '1'}, undefined, 0],
    ['an empty NO_COLOR', terminal, {NO_COLOR: ''}, undefined, 2],
    ['NO_COLOR and FORCE_COLOR', terminal, {NO_COLOR: '1', FORCE_COLOR: '1'}, undefined, 0],
    ['FORCE_COLOR into a pipe', pipe, {FORCE_COLOR: '1'}, undefined, 1],
    ['FORCE_COLOR=0', terminal, {FORCE_COLOR: '0'}, undefined, 0],
    ['--no-color', terminal, {FORCE_COLOR: '3'}, false, 0],
    ['--color into a pipe', pipe, {}, true, 1],
    ['NO_COLOR and --color', terminal, {NO_COLOR: '1'}, true, 1],
  ] as const)('%s', (_name, stream, env, flag, level) => {
    expect(colourLevel({stream, env, flag})).toBe(level)
  })
})

describe('palette', () => {
  it('leaves text as it is at level 0', () => {
    expect(Object.values(palette(0)).map((role) => role('text'))).toEqual(Array(6).fill('text'))
  })

  it('colours at level 1', () => {
    expect(palette(1).bad('text')).toBe('\u001b[31mtext\u001b[39m')
  })
})
