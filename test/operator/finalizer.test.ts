import {expect, it} from 'vitest'
import {KkError} from '../../src/base/errors.ts'
import type {EnvironmentObject} from '../../src/operator/crds/environment.ts'
import {finalize, syncFinalizer} from '../../src/operator/finalizer.ts'

const FINALIZER = 'kk.openstack.org/removal'
const DELETED = '2026-11-23T08:00:00Z'
const NOW = Date.parse(DELETED) + 1_000

function environment(
  spec: Partial<EnvironmentObject['spec']>,
  metadata: Partial<EnvironmentObject['metadata']> = {},
): EnvironmentObject {
  return {
    metadata: {name: 'production', uid: 'u', resourceVersion: '7', ...metadata},
    spec: {source: {configMap: 'production'}, ...spec},
  }
}

const CONFIRMED = {
  finalizers: ['other', FINALIZER],
  deletionTimestamp: DELETED,
  annotations: {'kk.openstack.org/confirm-remove': 'u'},
}

interface FinalizeOptions {
  readonly around?: object
  readonly now?: number
  readonly fault?: KkError
  readonly driver?: string
}

/** What becomes of an Environment that is being deleted, and the finalizers that it has then. */
async function finalized(
  deleted: EnvironmentObject,
  {around = {}, now = NOW, fault, driver = 'the operator'}: FinalizeOptions = {},
) {
  const merged: unknown[] = []
  const objects = {
    read: async ({kind}: {kind: string}) => {
      if (kind === 'ConfigMap') throw fault ?? new KkError('KK_FILE', 'there is no ConfigMap production')
      return {metadata: {...around}}
    },
    merge: async (_resource: unknown, _place: unknown, fields: unknown) => void merged.push(fields),
  }
  const cluster = {objects, leases: {driver: async () => driver}}
  const context = {hub: objects, connect: async () => ({cluster, isOwn: true})}
  const removing = {environment: deleted, context}
  const result = await finalize(removing as unknown as Parameters<typeof finalize>[0], now)
  return {result, merged}
}

it.each<[string, Partial<EnvironmentObject['spec']>, Partial<EnvironmentObject['metadata']>, object, string]>(
  [
    ['whose policy has changed', {deletionPolicy: 'Orphan'}, CONFIRMED, {}, 'its deletionPolicy is Orphan'],
    [
      'that is suspended',
      {deletionPolicy: 'RemoveUnshared', suspend: true},
      CONFIRMED,
      {},
      'it is suspended',
    ],
    [
      'without confirmation',
      {deletionPolicy: 'RemoveUnshared'},
      {...CONFIRMED, annotations: {}},
      {},
      'the annotation kk.openstack.org/confirm-remove is not its UID',
    ],
    [
      'confirmed with the UID of an earlier one',
      {deletionPolicy: 'RemoveUnshared'},
      {...CONFIRMED, uid: 'another'},
      {},
      'the annotation kk.openstack.org/confirm-remove is not its UID',
    ],
    [
      'whose namespace or CRD is being deleted',
      {deletionPolicy: 'RemoveUnshared'},
      CONFIRMED,
      {deletionTimestamp: DELETED},
      'kk-system, or the CRD environments.kk.openstack.org, is being deleted',
    ],
    [
      'whose ConfigMap is missing',
      {deletionPolicy: 'RemoveUnshared'},
      CONFIRMED,
      {},
      'there is no ConfigMap production',
    ],
  ],
)('a deleted Environment %s orphans its releases', async (_, spec, metadata, around, why) => {
  const {result, merged} = await finalized(environment(spec, metadata), {around})

  expect(result).toEqual({
    type: 'Warning',
    reason: 'Orphaned',
    message: `its releases stay as they are: ${why}`,
  })
  expect(merged).toEqual([{metadata: {resourceVersion: '7', finalizers: ['other']}}])
})

it('the releases of a deleted Environment are orphaned if another operator manages them by now', async () => {
  const deleted = environment({deletionPolicy: 'RemoveUnshared'}, CONFIRMED)

  const {result, merged} = await finalized(deleted, {driver: 'the operator of another cluster'})

  expect(result).toMatchObject({
    reason: 'Orphaned',
    message: expect.stringContaining('production is managed by the operator of another cluster'),
  })
  expect(merged).toHaveLength(1)
})

const UNREACHABLE = new KkError('KK_UNREACHABLE', 'no answer')

it('finalizing an Environment throws transient failures for a retry', async () => {
  const deleted = environment({deletionPolicy: 'RemoveUnshared'}, CONFIRMED)

  await expect(finalized(deleted, {fault: UNREACHABLE})).rejects.toBe(UNREACHABLE)
})

it('a deleted Environment is finalized after an hour despite failures', async () => {
  const deleted = environment({deletionPolicy: 'RemoveUnshared'}, CONFIRMED)

  const {result, merged} = await finalized(deleted, {fault: UNREACHABLE, now: NOW + 3_600_000})

  expect(result?.message).toContain('an hour was not enough')
  expect(merged).toHaveLength(1)
})

it('a deleted Environment without a finalizer is not finalized', async () => {
  const {result, merged} = await finalized(environment({}, {deletionTimestamp: DELETED}))

  expect(result).toBeUndefined()
  expect(merged).toEqual([])
})

it.each<
  [string, EnvironmentObject['spec']['deletionPolicy'], readonly string[], readonly string[] | undefined]
>([
  ['gets one under RemoveUnshared', 'RemoveUnshared', ['other'], ['other', FINALIZER]],
  ['keeps it', 'RemoveUnshared', [FINALIZER], undefined],
  ['gives it back under Orphan', 'Orphan', ['other', FINALIZER], ['other']],
  ['has none by default', undefined, [], undefined],
])('the finalizer: an Environment %s', async (_, deletionPolicy, finalizers, expected) => {
  const merged: unknown[] = []
  const merge = async (_resource: unknown, _place: unknown, fields: unknown) => void merged.push(fields)

  await syncFinalizer(environment({deletionPolicy}, {finalizers}), {merge})

  expect(merged).toEqual(
    expected === undefined ? [] : [{metadata: {resourceVersion: '7', finalizers: expected}}],
  )
})
