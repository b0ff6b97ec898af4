import type {ApiClient} from '../api/client.ts'
import {listAll} from '../api/list.ts'
import {asking, type Resource, resourcePath} from '../api/resources.ts'
import type {SeenStorageClass} from './diagnosis.ts'

const STORAGE_CLASSES: Resource = {
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  plural: 'storageclasses',
  namespaced: false,
}
const DEFAULT = 'storageclass.kubernetes.io/is-default-class'

interface StorageClass {
  readonly metadata: {
    readonly name: string
    readonly creationTimestamp?: string
    readonly annotations?: Readonly<Record<string, string>>
  }
}

/**
 * Returns the storage classes, newest first: of several default classes Kubernetes takes the newest (1.26: retroactive
 * default storage class).
 */
export async function listStorageClasses(client: ApiClient): Promise<readonly SeenStorageClass[]> {
  const {items} = await listAll<StorageClass>(client, {
    path: resourcePath(STORAGE_CLASSES, ''),
    asked: asking('list', STORAGE_CLASSES, ''),
  })
  return items
    .toSorted((a, b) => {
      const [one, other] = [a, b].map(({metadata}) => metadata.creationTimestamp ?? '')
      return one === other ? (a.metadata.name < b.metadata.name ? -1 : 1) : one! > other! ? -1 : 1
    })
    .map(({metadata: {name, annotations}}) => ({name, isDefault: annotations?.[DEFAULT] === 'true'}))
}
