import type {KubernetesObject} from './cluster.ts'

/** Whether helm makes an object as a hook: apart from the others, and anew each time. */
export function isHook({metadata}: Pick<KubernetesObject, 'metadata'>): boolean {
  return metadata.annotations?.['helm.sh/hook'] !== undefined
}
