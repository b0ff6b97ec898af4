import {expect, it} from 'vitest'
import {KkError} from '../../../src/base/errors.ts'
import type {ReleaseObject} from '../../../src/operator/crds/release.ts'
import {newDispatcher} from '../../../src/operator/workers/dispatcher.ts'

type Options = Parameters<typeof newDispatcher>[0]

/** The rows of two releases in two namespaces, of which nothing is ordered. */
const ROWS: readonly ReleaseObject[] = ['openstack', 'storage'].map((namespace) => ({
  metadata: {name: `production.${namespace}.db`},
  spec: {
    release: {namespace, name: 'db'},
    chart: {name: 'db', version: '1'},
    ...({action: 'unchanged', requires: [], protected: false} as const),
  },
}))

/** A parent in a cluster that has tasks of Environments, by namespace: `production kk-task.db`. */
function parent(tasks: Readonly<Record<string, readonly string[] | KkError>>) {
  const world = {deleted: [] as string[]}
  const objects = {
    async list(_: unknown, namespace: string, selector: string) {
      const found = tasks[namespace] ?? []
      if (found instanceof KkError) throw found
      const mine = found
        .map((each) => each.split(' '))
        .filter(([environment]) => selector.endsWith(`=${environment}`))
      return mine.map(([, name]) => ({metadata: {name}}))
    },
    async delete(_: unknown, {namespace, name}: {namespace: string; name: string}) {
      world.deleted.push(`${namespace}/${name}`)
    },
  }
  const options = {cluster: {objects}, rows: {}, releases: {}, shards: ['db']}
  return {world, orders: newDispatcher(options as unknown as Options)}
}

it('a task that an earlier parent has written and never dispatched is deleted, and none of another Environment', async () => {
  const {world, orders} = parent({openstack: ['production kk-task.db', 'staging kk-task.api']})

  await orders.cancel('production', ROWS)
  await orders.cancel('production', ROWS)

  expect(world.deleted).toEqual(['openstack/kk-task.db'])
})

it('tasks are searched again if the Releases were not known yet', async () => {
  const {world, orders} = parent({storage: ['production kk-task.db']})
  await orders.cancel('production', [])

  await orders.cancel('production', ROWS)

  expect(world.deleted).toEqual(['storage/kk-task.db'])
})

it('a namespace whose Secrets the parent cannot list does not fail the cancellation', async () => {
  const forbidden = new KkError('KK_FORBIDDEN', 'may not list secrets')
  const {world, orders} = parent({openstack: forbidden, storage: ['production kk-task.db']})

  await orders.cancel('production', ROWS)

  expect(world.deleted).toEqual(['storage/kk-task.db'])
})
