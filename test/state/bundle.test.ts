import {describe, expect, it} from 'vitest'
import {evaluateBundle} from '../../src/state/bundle.ts'

const SOURCE = `(function(module,exports,require){
  exports.join = require('node:path').join
  exports.double = (value) => value * 2
})`

interface Exports {
  join(...parts: string[]): string
  double(value: number): number
}

const evaluate = (source: string, codeCache?: Buffer) => {
  const evaluated = evaluateBundle({file: 'bundle.cjs', source, ...(codeCache && {codeCache})})
  return {...evaluated, exports: evaluated.exports as Exports}
}

describe('evaluateBundle', () => {
  it("returns the exports of the source, which can require Node's own modules", () => {
    const {exports} = evaluate(SOURCE)

    expect([exports.double(21), exports.join('a', 'b')]).toEqual([42, 'a/b'])
  })

  it('returns the value of `module.exports`', () => {
    const {exports} = evaluate('(function(module){ module.exports = {double: () => 1} })')

    expect(exports.double(21)).toBe(1)
  })

  it('returns a code cache that grows with the functions used', () => {
    // A text of its own: V8 remembers within a process what it compiled of an equal one.
    const source = `${SOURCE} // warm`
    const first = evaluate(source)
    const cold = first.codeCache()
    first.exports.double(1)
    const warm = first.codeCache()

    expect(warm.length).toBeGreaterThan(cold.length)
    expect(evaluate(source, warm).exports.double(21)).toBe(42)
  })

  it('works if V8 rejects the code cache', () => {
    expect(evaluate(SOURCE, Buffer.from('of another V8')).exports.double(21)).toBe(42)
  })

  it('names the bundle in stack traces', () => {
    expect(() => evaluate('(function(){ null.property })')).toThrow(
      expect.objectContaining({stack: expect.stringContaining('bundle.cjs:1')}),
    )
  })
})
