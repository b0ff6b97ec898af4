import {describe, expect, it} from 'vitest'
import {mergeValues} from '../../src/base/merge.ts'
import {applyUpdate} from '../../src/overrides/apply-update.ts'
import type {OverrideUpdate} from '../../src/overrides/service.ts'

interface Given {
  readonly flag?: OverrideUpdate['flag']
  readonly files?: readonly string[]
  readonly set?: readonly string[]
  readonly setString?: readonly string[]
}

function update({flag = 'reset', files = [], set = [], setString = []}: Given): OverrideUpdate {
  const named = files.map((text, index) => ({source: `${index + 1}.yaml`, text}))
  return {flag, values: {files: named, set, setString}}
}

describe('an update of user overrides', () => {
  it.each<[string, object, Given, object]>([
    ['resets what was stored', {a: 1}, {set: ['b=2']}, {b: 2}],
    ['resets to nothing when it says nothing', {a: 1}, {}, {}],
    ['starts from the stored ones with reuse', {a: 1, b: 1}, {flag: 'reuse', set: ['b=2']}, {a: 1, b: 2}],
    ['keeps an integer as an integer', {}, {set: ['pod.replicas=2']}, {pod: {replicas: 2}}],
    ['keeps text as text with --set-string', {}, {setString: ['a=2,b=true']}, {a: '2', b: 'true'}],
    ['takes several values in one expression', {}, {set: ['a=1,b.c={x,y}']}, {a: 1, b: {c: ['x', 'y']}}],
    ['merges maps of files in order', {}, {files: ['a: {x: 1, z: 1}', 'a: {z: 2}']}, {a: {x: 1, z: 2}}],
    [
      'replaces lists and scalars',
      {l: [1], m: {a: 1}},
      {flag: 'reuse', files: ['l: [2]\nm: 3']},
      {l: [2], m: 3},
    ],
    ['applies files before expressions', {}, {files: ['a: 1'], set: ['a=2'], setString: ['a=3']}, {a: '3'}],
    ['keeps null for helm to act upon', {}, {set: ['a.b=null']}, {a: {b: null}}],
    ['fills up to an index that nothing below has', {}, {set: ['l[1]=x']}, {l: [null, 'x']}],
    ['changes an item of a stored list', {l: [1, 2]}, {flag: 'reuse', set: ['l[1]=x']}, {l: [1, 'x']}],
    ['takes an empty file for nothing', {}, {files: ['', '# nothing\n'], set: ['a=1']}, {a: 1}],
  ])('%s', (_, stored, given, expected) => {
    const before = JSON.stringify(stored)

    const after = applyUpdate(stored as Record<string, unknown>, update(given))

    expect(after).toEqual(expected)
    expect(JSON.stringify(stored)).toBe(before)
  })

  it.each<[string, Given]>([
    ['a key that was forgotten', {set: ['=2']}],
    ['an empty file', {files: ['']}],
    ['a file of comments, and an empty expression', {files: ['# nothing'], setString: ['']}],
    ['an empty map, with reuse', {flag: 'reuse', files: ['{}']}],
  ])('is refused if it contains no value: %s', (_, given) => {
    const refusal = expect.objectContaining({
      code: 'KK_USAGE',
      hint: expect.stringContaining('kk overrides delete'),
    })

    expect(() => applyUpdate({a: 1}, update(given))).toThrow(refusal)
  })

  it("holds only the deployer's values, which replace lower maps in the combined overrides", () => {
    const system = {pod: {replicas: {server: 1}}}

    const user = applyUpdate({}, update({flag: 'reuse', set: ['pod.replicas=2']}))

    expect(user).toEqual({pod: {replicas: 2}})
    expect(mergeValues(system, user)).toEqual({pod: {replicas: 2}})
  })

  it.each<[string, Given]>([
    ['1.yaml: expected a map of values', {files: ['[1]']}],
    ['1.yaml:1:8', {files: ['a: {b: ']}],
    ['1.yaml:2:1: the key "a" is duplicate', {files: ['a: 1\na: 2']}],
    ['1.yaml:3:1: expected one document, got a second one', {files: ['a: 1\n---\nb: 2']}],
    ['--set adminPassword=***', {set: ['adminPassword=geheim,x']}],
    ['--set-string a***=***', {setString: ['a[x]=1']}],
    ['--set ***: expected "="', {set: ['password.geheim']}],
    ['--set password***=***', {set: ['password[geheim]=1']}],
    ['--set password:***=***: expected a map', {set: ['a=1', 'password:a.b=x', 'password:a.b.geheim==']}],
    ['got *** for a secret', {files: ['conf: {ldap: {bind_pw: "***"}}']}],
    ['got *** for a secret', {setString: ['conf.extra=admin_password = ***']}],
    ['the overrides: expected a string without half a surrogate pair', {set: ['a=\ud800']}],
    ['1.yaml: the key __proto__ cannot be stored', {files: ['a: {__proto__: {polluted: 1}}']}],
    ['the overrides: the key __proto__ cannot be stored', {set: ['__proto__.polluted=1']}],
    [
      '1.yaml: expected keys of at most 1024 characters, got one of 65536',
      {files: [`? ${'k'.repeat(65536)}\n: 1`]},
    ],
    ['1.yaml: expected at most 1000000 characters of overrides', {files: [`a: ${'x'.repeat(1_000_001)}`]}],
    [
      '1.yaml: expected at most 1000000 characters of overrides',
      {files: [`a: &a ${'x'.repeat(50_000)}\nb: [${'*a,'.repeat(50)}]`]},
    ],
    [
      'the files up to 2.yaml: expected at most 1000000 characters of overrides',
      {files: [`a: ${'x'.repeat(600_000)}`, `b: ${'x'.repeat(600_000)}`]},
    ],
    [
      'expected at most 1000000 characters of values in all',
      {set: Array.from({length: 200}, (_, list) => `a${list}[65536]=1`)},
    ],
    [
      '1.yaml: expected at most 64 nested maps and lists',
      {files: [`a: ${'['.repeat(400)}${']'.repeat(400)}`]},
    ],
    ['1.yaml:1:503: nesting exceeded', {files: [`a: ${'['.repeat(5000)}`]}],
  ])('is refused with "%s"', (message, given) => {
    const attempt = () => applyUpdate({}, update(given))

    expect(attempt).toThrow(message)
    expect(attempt).not.toThrow('geheim')
  })
})
