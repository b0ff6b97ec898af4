import {expect, it} from 'vitest'
import {type Kept, newKeeper} from '../../src/operator/keeper.ts'
import {conditionsOf} from '../../src/operator/kinds/conditions.ts'
import {ENVIRONMENTS} from '../../src/operator/kinds/environment-kind.ts'

const metadata = {name: 'production'}

/** A keeper with all that it has written. */
function keeping() {
  const written: unknown[] = []
  const apply = async (_: unknown, object: unknown) => {
    written.push(object)
    return {metadata: {generation: written.length}}
  }
  return {keeper: newKeeper({apply}, ENVIRONMENTS), written}
}

it.each<[string, Kept]>([
  ['equal to what was written last', {metadata, status: {summary: '1/2', run: undefined}}],
  ['equal but for the order of its keys', {metadata, status: {run: undefined, summary: '1/2'}}],
])('what is %s is not written', async (_, again) => {
  const {keeper, written} = keeping()
  await keeper.keep({metadata, status: {summary: '1/2'}})

  await keeper.keep(again)

  expect(written).toHaveLength(1)
})

it('what the cluster has already is not written, and what has gone is', async () => {
  const {keeper, written} = keeping()
  keeper.see({metadata, status: {summary: '1/2'}})
  await keeper.keep({metadata, status: {summary: '1/2'}})
  const before = written.length

  keeper.forget('production')
  await keeper.keep({metadata, status: {summary: '1/2'}})

  expect(before).toBe(0)
  expect(written).toHaveLength(1)
})

it('a condition keeps its time until its status is another one', () => {
  const at = (now: string) => ({generation: 2, now})
  const finding = {type: 'Ready', status: 'False', reason: 'Running', message: 'a'} as const
  const first = conditionsOf([finding], {}, at('2026-11-23T08:00:00Z'))

  const same = conditionsOf([{...finding, message: 'b'}], {conditions: first}, at('2026-11-23T09:00:00Z'))
  const other = conditionsOf([{...finding, status: 'True'}], {conditions: same}, at('2026-11-23T10:00:00Z'))

  expect(same).toEqual([
    {...finding, message: 'b', lastTransitionTime: '2026-11-23T08:00:00Z', observedGeneration: 2},
  ])
  expect(other[0]?.lastTransitionTime).toBe('2026-11-23T10:00:00Z')
})
