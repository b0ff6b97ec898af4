import {expect, it} from 'vitest'
import {judgeMoves} from '../../../../src/doctor/checks/upgrade/moves.ts'

const MOVE = {server: 'a1', kind: 'live-migration', source: 'node-1', target: 'node-2'}

it('an upgrade is refused while nova moves instances', () => {
  const found = judgeMoves(
    [MOVE, {server: 'b2', kind: 'evacuation', source: 'node-3', target: null}, ...new Array(4).fill(MOVE)],
    false,
  )

  expect(found).toMatchObject([
    {
      what: expect.stringMatching(
        /^nova moves instances: the live-migration of a1 from node-1 to node-2, the evacuation of b2 from node-3, .*, 1 more$/,
      ),
      refusal: 'KK_UPGRADE_CHECK',
    },
  ])
  expect(judgeMoves([], false)).toEqual([])
})

it('a move that may wait for this upgrade is noted', () => {
  expect(judgeMoves([MOVE], true)).toEqual([
    {what: 'nova moves instances: the live-migration of a1 from node-1 to node-2'},
  ])
})
