import {expect, it} from 'vitest'
import {judgeMoves} from '../../../../src/doctor/checks/upgrade/moves.ts'

const MOVE = {server: 'a1', kind: 'live-migration', source: 'node-1', target: 'node-2', age: 4}

it('an upgrade is refused while nova moves instances', () => {
  const found = judgeMoves([
    MOVE,
    {server: 'b2', kind: 'evacuation', source: 'node-3', target: null, age: 30},
  ])

  expect(found).toMatchObject([
    {
      what: 'nova moves instances: the live-migration of a1 from node-1 to node-2, the evacuation of b2 from node-3',
      refusal: 'KK_UPGRADE_CHECK',
    },
  ])
})

it('a move that nova has not reported for long is noted', () => {
  expect(judgeMoves([{...MOVE, age: 7_300}])).toEqual([
    {what: 'the live-migration of a1 from node-1 to node-2 has not been reported for 2 h'},
  ])
  expect(judgeMoves([])).toEqual([])
})
