import {expect, it} from 'vitest'
import {type CachedObject, newApplyCache} from '../../src/operator/apply-cache.ts'
import {mergeConditions} from '../../src/operator/crds/conditions.ts'
import {ENVIRONMENTS} from '../../src/operator/crds/environment.ts'

const metadata = {name: 'production'}

/** A cache with all that it has written. */
function newCache() {
  const written: unknown[] = []
  const apply = async (_: unknown, object: unknown) => {
    written.push(object)
    return {metadata: {generation: written.length}}
  }
  return {cache: newApplyCache({apply}, ENVIRONMENTS), written}
}

it.each<[string, CachedObject]>([
  ['equal to the last applied one', {metadata, status: {summary: '1/2', run: undefined}}],
  ['equal except for the order of its keys', {metadata, status: {run: undefined, summary: '1/2'}}],
])('an object %s is not applied again', async (_, again) => {
  const {cache, written} = newCache()
  await cache.apply({metadata, status: {summary: '1/2'}})

  await cache.apply(again)

  expect(written).toHaveLength(1)
})

it('an observed object is not applied again, and a deleted one is', async () => {
  const {cache, written} = newCache()
  cache.observe({metadata, status: {summary: '1/2'}})
  await cache.apply({metadata, status: {summary: '1/2'}})
  const before = written.length

  cache.forget('production')
  await cache.apply({metadata, status: {summary: '1/2'}})

  expect(before).toBe(0)
  expect(written).toHaveLength(1)
})

it('a condition keeps its transition time until its status changes', () => {
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
