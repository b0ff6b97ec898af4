import {expect, test} from 'vitest'
import {valueChanges} from '../../../src/plan/changes/value-changes.ts'

const redact = (text: string) => text.replaceAll('hunter22', '***')

test('changed values are named by their path, with the value before and after', () => {
  const before = {pod: {replicas: 1, gone: 'x'}, same: [1]}
  const after = {pod: {replicas: 2}, debug: true, same: [1]}

  expect(valueChanges(before, after, redact)).toEqual([
    {path: 'pod.replicas', change: 'changed', before: 1, after: 2},
    {path: 'pod.gone', change: 'removed', before: 'x'},
    {path: 'debug', change: 'added', after: true},
  ])
})

test.each([
  {
    what: 'under a key that looks secret',
    after: {auth: {password: 'pw'}},
    change: {path: 'auth.password', masked: true},
  },
  {
    what: 'that is known to be secret',
    after: {url: 'amqp://u:hunter22@host'},
    change: {path: 'url', after: 'amqp://u:***@host'},
  },
  {what: 'inside a list', after: {users: [{password: 'pw'}]}, change: {path: 'users'}},
])('a value $what is not shown', ({after, change}) => {
  expect(valueChanges({}, after, redact)).toEqual([{change: 'added', ...change}])
})

test('a null counts as absent', () => {
  expect(valueChanges({}, {image: null}, redact)).toEqual([])
})
