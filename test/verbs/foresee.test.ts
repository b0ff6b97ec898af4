import {describe, expect, it} from 'vitest'
import {KkError} from '../../src/errors.ts'
import {askedToAccept, renderPlan} from '../../src/verbs/foresee.ts'
import {id} from '../graph/graph-of.ts'
import {planOf} from '../run/plan-of.ts'

const RENDERED = new Map([
  [id('keystone'), [{apiVersion: 'v1', kind: 'Secret', metadata: {name: 'keystone'}}]],
])

const HELM = {helm: {version: {major: 4}}, forceConflicts: false} as const

const COMPARED = {plan: planOf({keystone: []}), previous: new Map(), ...HELM}

/** A cluster that is asked whether it would accept the objects, and throws or refuses. */
const clusterThat = (error: KkError) => ({validate: () => Promise.reject(error)})

describe('whether the API server would accept what a plan makes', () => {
  it('is told by it', async () => {
    const validate = async () => [{object: 'Secret/keystone', outcome: 'accepted'} as const]

    await expect(askedToAccept(RENDERED, {validate}, COMPARED)).resolves.toBe(true)
  })

  it('is not known to who may only look', async () => {
    const cluster = clusterThat(new KkError('KK_FORBIDDEN', 'may not patch secrets'))

    await expect(askedToAccept(RENDERED, cluster, COMPARED)).resolves.toBe(false)
  })

  it('is not known while it does not answer, and nothing is concluded', async () => {
    const cluster = clusterThat(new KkError('KK_UNREACHABLE', 'gone'))

    await expect(askedToAccept(RENDERED, cluster, COMPARED)).rejects.toMatchObject({code: 'KK_UNREACHABLE'})
  })

  it('is refused with every object that it would not accept', async () => {
    const validate = async () => [
      {object: 'Secret/keystone', outcome: 'refused', message: 'bad name'} as const,
    ]

    await expect(askedToAccept(RENDERED, {validate}, COMPARED)).rejects.toMatchObject({
      code: 'KK_INVALID_OBJECT',
    })
  })
})

describe('what is new, where nothing is inferred,', () => {
  const plan = planOf({keystone: []})
  const prepared = {environment: {infer: false}, releases: new Map()} as unknown as Parameters<
    typeof renderPlan
  >[0]
  const helm = {} as Parameters<typeof renderPlan>[2]['helm']
  const cluster = {customKinds: async () => []}

  it('is not rendered for who only wants to see the plan', async () => {
    await expect(renderPlan(prepared, plan, {helm, cluster, ifUnknown: true})).resolves.toEqual(new Map())
  })

  it('is rendered where what it makes is needed', async () => {
    await expect(renderPlan(prepared, plan, {helm, cluster})).rejects.toThrow()
  })
})
