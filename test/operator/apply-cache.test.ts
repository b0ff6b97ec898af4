import {expect, it} from 'vitest'
import {type CachedObject, newApplyCache} from '../../src/operator/apply-cache.ts'
import {mergeConditions} from '../../src/operator/crds/conditions.ts'
import {ENVIRONMENTS} from '../../src/operator/crds/environment.ts'

const metadata = {name: 'production'}

/** A keeper with all that it has written. */
function keeping() {
  const written: unknown[] = []
  const apply = async (_: unknown, object: unknown) => {
    written.push(object)
    return {metadata: {generation: written.length}}
  }
  return {keeper: newApplyCache({apply}, ENVIRONMENTS), written}
}

it.each<[string, CachedObject]>([
  ['equal to what was written last', {metadata, status: {summary: '1/2', run: undefined}}],
  ['equal but for the order of its keys', {metadata, status: {run: undefined, summary: '1/2'}}],
])('what is %s is not written', async (_, again) => {
  const {keeper, written} = keeping()
  await keeper.apply({metadata, status: {summary: '1/2'}})

  await keeper.apply(again)

  expect(written).toHaveLength(1)
})

it('what the cluster has already is not written, and what has gone is', async () => {
  const {keeper, written} = keeping()
  keeper.observe({metadata, status: {summary: '1/2'}})
  await keeper.apply({metadata, status: {summary: '1/2'}})
  const before = written.length

  keeper.forget('production')
  await keeper.apply({metadata, status: {summary: '1/2'}})

  expect(before).toBe(0)
  expect(written).toHaveLength(1)
})

it('a condition keeps its time until its status is another one', () => {
  const at = (now: string) => ({generation: 2, now})
  const finding = {type: 'Ready', status: 'False', reason: 'Running', message: 'a'} as const
  const first = mergeConditions([finding], {}, at('2026-11-23T08:00:00Z'))

  const same = mergeConditions([{...finding, message: 'b'}], {conditions: first}, at('2026-11-23T09:00:00Z'))
  const other = mergeConditions(
    [{...finding, status: 'True'}],
    {conditions: same},
    at('2026-11-23T10:00:00Z'),
  )

  expect(same).toEqual([
    {...finding, message: 'b', lastTransitionTime: '2026-11-23T08:00:00Z', observedGeneration: 2},
  ])
  expect(other[0]?.lastTransitionTime).toBe('2026-11-23T10:00:00Z')
})
