import {expect, it} from 'vitest'
import {atJsonPath, JSON_PATH_PATTERN} from '../../src/base/readiness.ts'

const OBJECT = {
  status: {
    phase: 'Ready',
    'a.b': 1,
    list: ['x', {key: 'y'}],
    conditions: [
      {type: 'Synced', status: 'True'},
      {type: 'Ready', status: 'False'},
    ],
  },
}

it.each([
  ['.status.phase', 'Ready'],
  [".status['a.b']", 1],
  ['.status.list[1].key', 'y'],
  ['.status.conditions[?(@.type=="Ready")].status', 'False'],
  [".status.conditions[?(@.type == 'Synced')].status", 'True'],
  ['.status.missing.deeper', undefined],
  ['.status.conditions[?(@.type=="Other")].status', undefined],
])('the JSON path %s is evaluated', (path, expected) => {
  expect(atJsonPath(OBJECT, path)).toBe(expected)
  expect(path).toMatch(new RegExp(JSON_PATH_PATTERN))
})

it.each(['status.phase', '{.status}', '.status..phase', '.a[*]', '', '.a[?(@.b>1)]'])(
  'the JSON path %s is invalid',
  (path) => {
    expect(path).not.toMatch(new RegExp(JSON_PATH_PATTERN))
  },
)
