import {describe, expect, it} from 'vitest'
import {KkError} from '../../src/errors.ts'
import {askedToAccept} from '../../src/verbs/foresee.ts'
import {id} from '../graph/graph-of.ts'
import {planOf} from '../run/plan-of.ts'

const RENDERED = new Map([
  [id('keystone'), [{apiVersion: 'v1', kind: 'Secret', metadata: {name: 'keystone'}}]],
])

const HELM = {helm: {version: {major: 4}}, forceConflicts: false} as const

const COMPARED = {plan: planOf({keystone: []}), befores: new Map(), ...HELM}

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
