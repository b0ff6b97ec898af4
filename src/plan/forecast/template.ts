import {dig} from '../../base/dig.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {canonicalJson} from '../digest.ts'

/** The kinds whose controller replaces pods. */
export const WORKLOADS: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'DaemonSet'])

/** Returns a value at a path of an object as a string, to compare it; all that is missing is equal. */
export function textOf(object: KubernetesObject, ...path: readonly string[]): string {
  return canonicalJson(dig(object, ...path) ?? {})
}

/** Returns the template of an object's pods as a string. */
export function templateText(object: KubernetesObject): string {
  return textOf(object, 'spec', 'template')
}
