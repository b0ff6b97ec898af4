import type {Resource} from '../../kubernetes/api/resources.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import {BINDINGS, CLUSTER_BINDINGS, CLUSTER_ROLES, ROLES} from '../../kubernetes/permissions/account.ts'
import {nameLabel} from './shape.ts'

interface ListedObject {
  readonly metadata: {readonly namespace?: string; readonly name: string}
}

/** Lists the roles and bindings of these accounts of the operator in all namespaces, bindings first. */
export async function listRights(
  accounts: readonly string[],
  objects: Pick<Objects, 'list'>,
): Promise<readonly (readonly [Resource, string, string])[]> {
  const lists = [CLUSTER_BINDINGS, CLUSTER_ROLES, BINDINGS, ROLES].flatMap((resource) =>
    accounts.map(async (account) => {
      const [[label, value] = []] = Object.entries(nameLabel(account))
      // As if cluster-scoped, to list across all namespaces.
      const all = await objects.list<ListedObject>({...resource, namespaced: false}, '', `${label}=${value}`)
      return (all ?? []).map(({metadata}) => [resource, metadata.namespace ?? '', metadata.name] as const)
    }),
  )
  return (await Promise.all(lists)).flat()
}
