import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {asking, NAMESPACES, resourcePath} from '../api/resources.ts'
import type {Condition} from '../gate/kinds/observed.ts'
import type {SeenNamespace} from './diagnosis.ts'

interface Namespace {
  readonly metadata: {readonly name: string; readonly deletionTimestamp?: string}
  readonly status?: {readonly conditions?: readonly Condition[]}
}

/** Every condition of a Namespace tells of something in the way of its deletion (Kubernetes 1.36: NamespaceConditionType). */
export async function listNamespaces(client: ApiClient): Promise<readonly SeenNamespace[]> {
  const {items} = await listAll<Namespace>(client, {
    path: resourcePath(NAMESPACES, ''),
    asked: asking('list', NAMESPACES, ''),
  })
  return items.map(({metadata, status}) => ({
    name: metadata.name,
    deletedAt: metadata.deletionTimestamp,
    hindrances: (status?.conditions ?? [])
      .filter(({status: holds}) => holds === 'True')
      .map(({type, message = ''}) => ({type, message})),
  }))
}
