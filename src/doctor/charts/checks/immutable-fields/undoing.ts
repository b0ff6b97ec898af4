import type {KubernetesObject} from '../../../../kubernetes/manifest/kubernetes-object.ts'
import {objectName} from '../../../../kubernetes/manifest/manifest.ts'

/** Returns advice on a change of an object that the cluster refuses. */
export function undoing(object: KubernetesObject): string {
  const name = objectName(object)
  if (object.kind === 'PersistentVolumeClaim')
    return `revert the change, and keep the old value: ${name} could only be deleted and re-created, which deletes its data`
  return `revert the change, or delete ${name} before the upgrade, which re-creates it`
}
