import {expect, it} from 'vitest'
import {failureText, seedsIn} from '../../scripts/failed-tests.ts'

it.each([
  [
    'Property failed after 3 tests\n{ seed: -1819918769, path: "2:0:1", endOnFailure: true }\nCounterexample: [0]',
    ['seed: -1819918769, path: "2:0:1"'],
  ],
  ['play it again with KK_TEST_SEED=4711', ['KK_TEST_SEED=4711']],
  ['expected 1 to be 2', []],
])('the seeds of a failure are found in %j', (message, seeds) => {
  expect(seedsIn(message)).toEqual(seeds)
})

it('a failure is named with its project, file and seeds', () => {
  const failure = {
    project: 'unit',
    file: 'test/graph/order.test.ts',
    name: 'the order > is the same',
    seeds: ['seed: 1'],
    messages: [],
  }

  expect(failureText([failure])).toBe(
    '\nfailed, and kept in dist/failed-tests.ndjson:\n  unit  test/graph/order.test.ts > the order > is the same > seed: 1',
  )
})
