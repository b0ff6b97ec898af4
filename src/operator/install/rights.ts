import type {Resource} from '../../kubernetes/api/resources.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import {BINDINGS, CLUSTER_BINDINGS, CLUSTER_ROLES, ROLES} from '../../kubernetes/permissions/account.ts'
import {nameLabel} from './shape.ts'

interface Found {
  readonly metadata: {readonly namespace?: string; readonly name: string}
}

/** Returns the roles and bindings that the cluster has for these accounts of the operator, in all namespaces; bindings first. */
export async function listRights(
  accounts: readonly string[],
  objects: Pick<Objects, 'list'>,
): Promise<readonly (readonly [Resource, string, string])[]> {
  const found = [CLUSTER_BINDINGS, CLUSTER_ROLES, BINDINGS, ROLES].flatMap((resource) =>
    accounts.map(async (account) => {
      const [[label, value] = []] = Object.entries(nameLabel(account))
      // Without a namespace it is listed in all of them.
      const all = await objects.list<Found>({...resource, namespaced: false}, '', `${label}=${value}`)
      return (all ?? []).map(({metadata}) => [resource, metadata.namespace ?? '', metadata.name] as const)
    }),
  )
  return (await Promise.all(found)).flat()
}
