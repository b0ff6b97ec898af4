import {expect, test} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import {newAgreement} from '../../../src/run/execute/agreement.ts'
import {id} from '../../graph/graph-of.ts'

const GROUP = [id('api'), id('worker')]
const [API, WORKER] = GROUP as [(typeof GROUP)[number], (typeof GROUP)[number]]
const removals = GROUP.map((release) => ({release, kind: 'remove' as const, group: GROUP}))
const pass = async () => undefined

test('a member of a group is removed only after the last one has passed its check', async () => {
  const agreement = newAgreement(removals)
  const said: string[] = []

  const first = agreement.agree(API, pass).then(() => said.push('api goes'))
  await new Promise(setImmediate)
  said.push('worker is asked')
  await Promise.all([first, agreement.agree(WORKER, pass)])

  expect(said).toEqual(['worker is asked', 'api goes'])
})

test('no member of a group is removed if one is refused', async () => {
  const agreement = newAgreement(removals)
  const refusal = new KkError('KK_HAS_DEPENDENTS', 'openstack/worker is about to be used', {hint: 'wait'})
  const api = agreement.agree(API, pass)

  const worker = agreement.agree(WORKER, () => Promise.reject(refusal))
  await expect(worker).rejects.toBe(refusal)
  agreement.failed(WORKER, refusal)

  await expect(api).rejects.toMatchObject({
    code: 'KK_HAS_DEPENDENTS',
    message:
      'api stays because worker, which needs it, cannot be removed: openstack/worker is about to be used',
    hint: 'wait',
  })
})

test('a release without group waits for no other', async () => {
  const agreement = newAgreement(
    GROUP.map((release) => ({release, kind: 'remove' as const, group: [release]})),
  )

  await expect(agreement.agree(API, pass)).resolves.toBeUndefined()
})
