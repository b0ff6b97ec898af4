import type {KubernetesObject} from '../../../../kubernetes/manifest/kubernetes-object.ts'
import {objectName} from '../../../../kubernetes/manifest/manifest.ts'

/** Returns advice on a change of an object that the cluster refuses. */
export function undoing(object: KubernetesObject): string {
  const name = objectName(object)
  if (object.kind === 'PersistentVolumeClaim')
    return `take the change back, and keep the old value: ${name} could only be deleted and made anew, and its data would go with it`
  return `take the change back, or delete ${name} before the upgrade, which makes it anew`
}
