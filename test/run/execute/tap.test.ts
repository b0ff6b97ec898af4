import {expect, it} from 'vitest'
import {testsInTap} from '../../../src/run/execute/tap.ts'

it('testsInTap returns each test with its outcome, its duration and its message', () => {
  const log = `# what is before does not count
ok 0 - not of it
TAP version 14
1..5
ok 1 - identity.Users.test_list[id-1]
  ---
  duration_ms: 1250
  ...
not ok 2 - volume.Volumes.test_delete
  ---
  duration_ms: 300
  message: |
    Traceback (most recent call last):
      ...
    AssertionError: 1 != 2
  ...
ok 3 - compute.Migrations.test_cold # SKIP needs 2 nodes
not ok 4 known \\# to fail # TODO bug 1
not ok
# 2 passed`.split('\n')

  expect(testsInTap(log)).toEqual([
    {name: 'identity.Users.test_list[id-1]', outcome: 'passed', seconds: 1.25},
    {
      name: 'volume.Volumes.test_delete',
      outcome: 'failed',
      seconds: 0.3,
      text: 'Traceback (most recent call last):\n  ...\nAssertionError: 1 != 2',
    },
    {name: 'compute.Migrations.test_cold', outcome: 'skipped', text: 'needs 2 nodes'},
    {name: 'known # to fail', outcome: 'skipped', text: 'bug 1'},
    {name: '', outcome: 'failed'},
  ])
})

it.each([
  ['of another form', ['ok', 'all is well']],
  ['without a line', []],
])('testsInTap returns no tests for a log %s', (_, log) => {
  expect(testsInTap(log)).toEqual([])
})

it('testsInTap counts a test whose details are cut off or not YAML', () => {
  expect(testsInTap(['TAP version 13', 'ok 1 - a', '  ---', '  duration_ms: ['])).toEqual([
    {name: 'a', outcome: 'passed'},
  ])
  expect(testsInTap(['TAP version 13', 'ok 1 - a', '  ---', '  {', '  ...', 'ok 2 - b'])).toMatchObject([
    {name: 'a'},
    {name: 'b'},
  ])
})
