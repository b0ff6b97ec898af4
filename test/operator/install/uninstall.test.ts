import {describe, expect, it} from 'vitest'
import {uninstallOperator} from '../../../src/operator/install/uninstall.ts'

/**
 * What a cluster holds of an operator that leads, and drives an Environment that needs so many looks until it
 * is paused.
 */
function clusterWith(looks: number, isGoing = false) {
  const did: string[] = []
  let looked = 0
  const environment = (isPaused: boolean) => ({
    metadata: {name: 'production', generation: 2},
    spec: {},
    status: {
      conditions: [{type: 'Paused', status: isPaused ? 'True' : 'False', observedGeneration: 2}],
    },
  })
  const going = {
    ...environment(true),
    metadata: {
      name: 'production',
      generation: 2,
      deletionTimestamp: '2026-11-23T08:00:00Z',
      finalizers: ['kk.openstack.org/removal'],
    },
  }
  const objects = {
    list: async (
      {kind, namespaced}: {kind: string; namespaced: boolean},
      namespace: string,
      labels?: string,
    ) => {
      if (kind === 'Environment') {
        looked += 1
        if (isGoing) return looked > looks ? [] : [going]
        return [environment(looked > looks)]
      }
      if (kind === 'Secret')
        return namespace === 'tenant' ? [{metadata: {namespace, name: 'kk-task.db'}}] : []
      const isOfOperator = labels === 'app.kubernetes.io/name=kk-operator' && kind.endsWith('Binding')
      if (!isOfOperator) return []
      const name = 'kk-operator'
      return kind.startsWith('Cluster')
        ? [{metadata: {name}}]
        : [{metadata: {name, namespace: namespaced ? '' : 'tenant'}}]
    },
    read: async () => undefined,
    merge: async ({kind}: {kind: string}, {name}: {name: string}, fields: object) =>
      void did.push(`merge ${kind}/${name} ${Object.keys((fields as {spec?: object}).spec ?? {}).join()}`),
    delete: async ({kind}: {kind: string}, {namespace, name}: {namespace: string; name: string}) =>
      void did.push(`delete ${kind} ${namespace}/${name}`),
  }
  const cluster = {
    objects,
    apiServer: {customKinds: async () => []},
    leases: {
      driver: async () => 'the operator',
      read: async () => ({holder: 'operator a', runsOut: 2}),
      now: () => 1,
    },
  }
  return {did, cluster: cluster as unknown as Parameters<typeof uninstallOperator>[0]}
}

describe('the operator is uninstalled', () => {
  it('when its runs have ended, with its rights in every namespace and the tasks of its workers', async () => {
    const {did, cluster} = clusterWith(2)

    await uninstallOperator(cluster, {until: Date.now() + 60_000})

    expect(did.slice(0, 2)).toEqual([
      'merge Environment/production suspend',
      'delete Lease kk-system/kk-env-production',
    ])
    expect(did).toContain('delete RoleBinding tenant/kk-operator')
    expect(did).toContain('delete ClusterRoleBinding /kk-operator')
    expect(did).toContain('delete Secret tenant/kk-task.db')
    expect(did.at(-2)).toBe('delete ServiceAccount kk-system/kk-operator')
  })

  it('when Environments being deleted are finalized', async () => {
    const {did, cluster} = clusterWith(2, true)

    await uninstallOperator(cluster, {until: Date.now() + 60_000})
    const refused = uninstallOperator(clusterWith(Number.POSITIVE_INFINITY, true).cluster, {until: 0})

    expect(did[0]).toBe('merge Environment/production suspend')
    expect(did[1]).toMatch(/^delete /)
    await expect(refused).rejects.toMatchObject({code: 'KK_HELD'})
  })

  it('not while a run is in progress', async () => {
    const {did, cluster} = clusterWith(Number.POSITIVE_INFINITY)

    await expect(uninstallOperator(cluster, {until: 0})).rejects.toMatchObject({
      code: 'KK_HELD',
      message: 'the operator is still working on production; it was not uninstalled',
    })
    expect(did).toEqual(['merge Environment/production suspend'])
  })
})
