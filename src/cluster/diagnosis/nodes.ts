import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {asking, NODES, resourcePath} from '../api/resources.ts'
import type {SchedulableNode, Taint} from './diagnosis.ts'

interface Node {
  readonly metadata: {readonly name: string; readonly labels?: Readonly<Record<string, string>>}
  readonly spec?: {readonly taints?: readonly Taint[]}
  readonly status?: {readonly allocatable?: Readonly<Record<string, string>>}
}

/** What the scheduler compares pods with. */
export async function listSchedulableNodes(client: ApiClient): Promise<readonly SchedulableNode[]> {
  const {items} = await listAll<Node>(client, {
    path: resourcePath(NODES, ''),
    asked: asking('list', NODES, ''),
  })
  return items.map(({metadata: {name, labels = {}}, spec, status}) => ({
    name,
    labels,
    taints: spec?.taints ?? [],
    allocatable: status?.allocatable ?? {},
  }))
}
