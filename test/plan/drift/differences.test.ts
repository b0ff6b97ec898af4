import {expect, it} from 'vitest'
import {conflictPath} from '../../../src/plan/drift/conflict-path.ts'
import {differences, pathText} from '../../../src/plan/drift/differences.ts'

const found = (live: unknown, applied: unknown) =>
  differences(live, applied).map((each) => [pathText(each.path), each.live, each.applied])

it.each([
  ['equal values', {a: [1, {b: 2}]}, {a: [1, {b: 2}]}, []],
  ['a changed leaf', {spec: {replicas: 3}}, {spec: {replicas: 1}}, [['spec.replicas', 3, 1]]],
  [
    'what one side has not',
    {a: 1},
    {b: {c: 2}},
    [
      ['a', 1, undefined],
      ['b', undefined, {c: 2}],
    ],
  ],
  [
    'items of lists by name',
    {env: [{name: 'B', value: 'x'}, {name: 'A'}]},
    {env: [{name: 'B', value: 'y'}, {name: 'A'}]},
    [['env[B].value', 'x', 'y']],
  ],
  [
    'their order',
    {env: [{name: 'B'}, {name: 'A'}]},
    {env: [{name: 'A'}, {name: 'B'}]},
    [['env[order]', '[B],[A]', '[A],[B]']],
  ],
  ['lists without names as a whole', {args: ['a']}, {args: ['a', 'b']}, [['args', ['a'], ['a', 'b']]]],
  ['keys with dots', {data: {'a.conf': 'x'}}, {data: {'a.conf': 'y'}}, [['data["a.conf"]', 'x', 'y']]],
])('%s', (_, live, applied, expected) => {
  expect(found(live, applied)).toEqual(expected)
})

it.each([
  ['.spec.replicas', 'spec.replicas'],
  ['.spec.template.spec.containers[name="main"].image', 'spec.template.spec.containers[main].image'],
  ['.spec.ports[port=80,protocol="TCP"].nodePort', 'spec.ports[80/TCP].nodePort'],
])('a conflict about %s is one about %s', (field, path) => {
  expect(conflictPath(field)).toBe(path)
})
