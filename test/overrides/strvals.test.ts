import fc from 'fast-check'
import {beforeAll, describe, expect, it} from 'vitest'
import type {Values} from '../../src/base/values.ts'
import {applySet} from '../../src/overrides/strvals.ts'
import {HELMS} from '../support/helms.ts'
import {atNight} from '../support/night.ts'
import {testDirectory} from '../support/test-directory.ts'
import {toolPath} from '../support/tools.ts'
import {valuesOfHelm, writeProbeChart} from './support/probe.ts'

const set = (expression: string, below: Values = {}) =>
  applySet(expression, below, {mode: 'typed', source: '--set test:…'})
const setString = (expression: string, below: Values = {}) =>
  applySet(expression, below, {mode: 'string', source: '--set-string test:…'})

const ACCEPTED: [expression: string, values: object][] = [
  ['api=on', {api: 'on'}],
  ['api=on,db=off', {api: 'on', db: 'off'}],
  ['api=on,db=off,', {api: 'on', db: 'off'}],
  ['api=,db=off', {api: '', db: 'off'}],
  ['api=', {api: ''}],
  ['none=null,no=false,yes=true', {none: null, no: false, yes: true}],
  ['none=NULL,no=False,yes=tRUE', {none: null, no: false, yes: true}],
  ['zero=0,port=9292,low=-5,high=+5', {zero: 0, port: 9292, low: -5, high: 5}],
  [
    'mode=0640,ratio=1.5,hex=0x1f,big=9223372036854775808',
    {mode: '0640', ratio: '1.5', hex: '0x1f', big: '9223372036854775808'},
  ],
  ['exact=9007199254740992', {exact: 9007199254740992}],
  ['a=x\\,y,b=p\\=q,c=p=q', {a: 'x,y', b: 'p=q', c: 'p=q'}],
  ['a\\.b=c,a\\,b=d,a\\[0\\]=e', {'a.b': 'c', 'a,b': 'd', 'a[0]': 'e'}],
  ['a=c:\\\\d', {a: 'c:\\d'}],
  ['a=x\\', {a: 'x'}],
  ['a=one two three', {a: 'one two three'}],
  ['pod.replicas.api=3', {pod: {replicas: {api: 3}}}],
  ['pod.api=1,pod.db.size=2', {pod: {api: 1, db: {size: 2}}}],
  ['pod.api=', {pod: {api: ''}}],
  ['hosts={a,b}', {hosts: ['a', 'b']}],
  ['hosts={1,true,null,01}', {hosts: [1, true, null, '01']}],
  ['hosts={}', {hosts: ['']}],
  ['hosts={a,b},other.hosts={c}', {hosts: ['a', 'b'], other: {hosts: ['c']}}],
  ['hosts={a}b=c', {hosts: ['a'], b: 'c'}],
  ['hosts[0]=a', {hosts: ['a']}],
  ['hosts[0]=a,hosts[1]=b', {hosts: ['a', 'b']}],
  ['hosts[0]=a,hosts[3]=b', {hosts: ['a', null, null, 'b']}],
  ['hosts[1]=b,hosts[0]=a', {hosts: ['a', 'b']}],
  ['hosts[0].name=a', {hosts: [{name: 'a'}]}],
  ['hosts[0].name=a,hosts[0].port=1', {hosts: [{name: 'a', port: 1}]}],
  ['hosts[1].name=b,hosts[0].name=a', {hosts: [{name: 'a'}, {name: 'b'}]}],
  ['hosts[0]', {hosts: []}],
  ['hosts[0]=', {hosts: ['']}],
  ['hosts[0].name=', {hosts: []}],
  ['grid[0][0]=1', {grid: [[1]]}],
  ['grid[1][1]=1', {grid: [null, [null, 1]]}],
  ['grid[0][0]', {grid: []}],
  ['grid[0][0].kind=x,grid[0][0].state=y', {grid: [[{kind: 'x', state: 'y'}]]}],
  ['grid[0]={a,b}', {grid: [['a', 'b']]}],
  ['=x,a=b', {a: 'b'}],
  ['', {}],
]

const REFUSED: [expression: string, expected: string][] = [
  ['api', 'expected "=" and a value after the key, at character 3'],
  ['api,db=off', 'expected "=" and a value after the key, at character 4'],
  ['api=on,,db=off', 'expected "=" and a value after the key, at character 8'],
  ['api.db', 'expected "=" and a value after the key'],
  ['api.db,api.dc', 'expected "=" and a value after the key'],
  ['api.,db', 'expected "=" and a value after the key'],
  ['api.=db', 'expected a key after "."'],
  ['hosts={a,b', 'expected "}" at the end of the list'],
  ['hosts[-1]=a', 'expected an index of 0 or more'],
  ['hosts[x]=a', 'expected a number and "]" after "["'],
  ['hosts[]=a', 'expected a number and "]" after "["'],
  ['hosts[65537]=a', 'expected an index of at most 65536'],
  ['hosts[99999999999999999999]', 'expected an index of at most 65536'],
  ['hosts[-99999999999999999999]=a', 'expected an index of at most 65536'],
  ['hosts[0]name=a', 'expected "=", "." or "[" after "]"'],
  ['a=1,a.b=2', 'expected a map under the key before "."'],
  ['a=1,a[0]=2', 'expected a list under the key before "["'],
  ['a[0]=1,a[0][0]=2', 'expected a list before "["'],
  [`${'a.'.repeat(31)}a=1`, 'expected at most 30 dots in a key'],
]

describe('--set', () => {
  it.each(ACCEPTED)('reads %s', (expression, values) => {
    expect(set(expression)).toEqual(values)
  })

  it.each(REFUSED)('refuses %s', (expression, expected) => {
    expect(() => set(expression)).toThrow(expected)
  })

  it('refuses an index without "]", which only Helm 4 ignores', () => {
    expect(() => set('hosts[0')).toThrow('expected a number and "]" after "["')
  })

  it.each(['9007199254740993', '-9007199254740993', '{1,9007199254740993}'])(
    'refuses %s, which a values file would round',
    (text) => {
      expect(() => set(`big=${text}`)).toThrow(
        expect.objectContaining({
          code: 'KK_VALUES',
          message: expect.not.stringContaining('9007199254740993'),
          hint: expect.stringContaining('--set-string'),
        }),
      )
      expect(setString('big=9007199254740993')).toEqual({big: '9007199254740993'})
    },
  )

  it('never repeats a value in a message, not even one that a comma split', () => {
    expect(() => set('password=hunter2,sesame')).toThrow(
      expect.objectContaining({
        code: 'KK_VALUES',
        message: '--set test:…: expected "=" and a value after the key, at character 23',
        hint: expect.not.stringContaining('sesame'),
      }),
    )
  })

  it('changes existing lists and maps, and does not change its input', () => {
    const below = {hosts: [{name: 'a', port: 1}, 'b'], pod: {api: 1}}

    const above = set('hosts[0].port=2,hosts[1]=c,pod.db=3', below)

    expect(above).toEqual({hosts: [{name: 'a', port: 2}, 'c'], pod: {api: 1, db: 3}})
    expect(below).toEqual({hosts: [{name: 'a', port: 1}, 'b'], pod: {api: 1}})
  })

  it('changes one of two aliases only', () => {
    const shared = {size: 1}

    expect(set('a.size=2', {a: shared, b: shared})).toEqual({a: {size: 2}, b: {size: 1}})
  })

  it.each([
    ['a[0]…[0]', `a${'[0]'.repeat(5000)}=1`],
    ['a[0].a[0].…a', `${'a[0].'.repeat(5000)}a=1`],
    ['a[[[…', `a${'['.repeat(5000)}`],
  ])('refuses %s with thousands of brackets, which exceed the maximum nesting', (_, expression) => {
    expect(() => set(expression)).toThrow(expect.objectContaining({code: 'KK_VALUES'}))
  })

  it('refuses lists that many expressions would make too long, before building them', () => {
    const expressions = Array.from({length: 200}, (_, list) => `a${list}[65536]=1`)

    expect(set('a[65536]=1').a).toHaveLength(65_537)
    expect(() => set(expressions.join(','))).toThrow('expected at most 1000000 characters of values in all')
  })

  it('treats __proto__ as a normal key', () => {
    set('__proto__.polluted=1')

    expect(({} as {polluted?: unknown}).polluted).toBeUndefined()
  })
})

describe('--set-string', () => {
  it.each([
    ['port=1234567890', {port: '1234567890'}],
    ['on=true,none=null,zero=0', {on: 'true', none: 'null', zero: '0'}],
    ['list={1,true}', {list: ['1', 'true']}],
  ])('reads %s as a string', (expression, values) => {
    expect(setString(expression)).toEqual(values)
  })
})

/** Expressions of the grammar, in the given corner of the values. */
const expressions = (corner: string) => {
  const word = fc.string({
    unit: fc.constantFrom('a', 'b', '0', '1', '-', ' ', 'é', '\\.', '\\,', '\\=', '\\['),
    minLength: 1,
    maxLength: 3,
  })
  const step = fc.oneof(
    word.map((text) => `.${text}`),
    fc.constantFrom('[0]', '[1]', '[2]', '[0][1]'),
  )
  const scalar = fc.oneof(
    fc.constantFrom(
      '',
      'true',
      'False',
      'null',
      '0',
      '-0',
      '007',
      '1.5',
      '1e3',
      '9007199254740992',
      '~',
      ' ',
      '{',
      'a=b',
      'x}y',
    ),
    fc.integer().map(String),
    fc.string({
      unit: fc.constantFrom('a', 'Z', '9', '.', '\\,', '\\\\', '"', ':', '#', '/', 'ü'),
      maxLength: 6,
    }),
  )
  const list = fc
    .array(
      scalar.map((text) => text.replace(/[{}]/g, '')),
      {maxLength: 3},
    )
    .map((items) => `{${items.join(',')}}`)
  const value = fc.oneof({arbitrary: scalar.filter((text) => text !== '{'), weight: 3}, list)
  const pair = fc
    .tuple(fc.array(step, {minLength: 1, maxLength: 4}), value)
    .map(([path, text]) => `${corner}${path[0]?.startsWith('[') ? '.k' : ''}${path.join('')}=${text}`)
  return fc.array(pair, {minLength: 1, maxLength: 3}).map((pairs) => pairs.join(','))
}

const accepts = (expression: string, below: Values = {}) => {
  try {
    set(expression, below)
    return true
  } catch {
    return false
  }
}

atNight(() => {
  describe.each(HELMS)('%s reads the same', (name) => {
    let directory: string
    let chart: string
    let helm: string
    const ask = (flags: string[], below?: object) =>
      valuesOfHelm({helm, chart, flags, ...(below ? {below} : {})})

    beforeAll(async () => {
      directory = testDirectory()
      chart = await writeProbeChart(directory)
      helm = await toolPath(name)
    }, 600_000)

    it('in the table above, one over the other', async () => {
      const table = ACCEPTED.map(([expression]) => expression)

      const expected = table.reduce((below, expression) => set(expression, below), {})
      expect(await ask(table.flatMap((expression) => ['--set', expression]))).toEqual(expected)
    })

    it('and refuses the same', async () => {
      for (const [expression] of REFUSED) {
        expect(await ask(['--set', expression]), expression).toBeUndefined()
      }
    })

    it('in 1,000 random expressions over existing values', async () => {
      const below = {shared: {a: [1, {b: 2}], b: {a: null}}}
      const samples = fc.sample(fc.nat(), {seed: 20, numRuns: 1_000}).map((seed, index) => {
        const corner = index % 10 === 0 ? 'shared' : `t${index}`
        return fc.sample(expressions(corner), {seed, numRuns: 1})[0]!
      })
      const taken: string[] = []
      let expected: Values = below
      for (const expression of samples) {
        if (!accepts(expression, expected)) continue
        taken.push(expression)
        expected = set(expression, expected)
      }

      expect(taken.length).toBeGreaterThan(700)
      expect(
        await ask(
          taken.flatMap((expression) => ['--set', expression]),
          below,
        ),
      ).toEqual(expected)
    })

    it('in 300 random strings as --set-string', async () => {
      const samples = fc.sample(fc.nat(), {seed: 21, numRuns: 300}).map((seed, index) => {
        return fc.sample(expressions(`t${index}`), {seed, numRuns: 1})[0]!
      })
      const taken = samples.filter((sample) => accepts(sample))

      const expected = taken.reduce((below, expression) => setString(expression, below), {})
      expect(await ask(taken.flatMap((expression) => ['--set-string', expression]))).toEqual(expected)
    })

    it('and accepts and refuses the same random strings', async () => {
      const noise = fc.string({
        unit: fc.constantFrom('a', 'b', '.', ',', '=', '[', ']', '{', '}', '0', '1', '\\'),
        maxLength: 9,
      })
      // Only Helm 4 accepts a truncated index; kk does not.
      const samples = fc.sample(noise, {seed: 22, numRuns: 60}).filter((text) => !/\[[^\]]*$/.test(text))

      for (const text of samples) {
        const values = await ask(['--set', text])
        if (values === undefined) expect(accepts(text), text).toBe(false)
        else expect(set(text), text).toEqual(values)
      }
    })
  })
})
