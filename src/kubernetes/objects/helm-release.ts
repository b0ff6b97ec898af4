import type {ManagedFieldsEntry} from 'kubernetes-types/meta/v1.js'
import {mapParallel} from '../../base/parallel.ts'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import type {Discovery} from '../api/discovery.ts'
import {METADATA} from '../api/list.ts'
import {asking, readObject, resourcePath} from '../api/resources.ts'
import type {Frozen} from '../api/served.ts'
import {MANAGER} from '../dry-run/helm-writes.ts'
import {isHook} from '../manifest/helm-view.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'

/** The name of Flux's controller as a manager of fields (helm-controller: main.go controllerName). */
const FLUX_MANAGER = 'helm-controller'
const FLUX = 'helm.toolkit.fluxcd.io'
/** The times that an object is read again if somebody wrote it in between. */
const ATTEMPTS = 3

/**
 * Returns the HelmRelease of Flux that made a manifest, such as `HelmRelease flux-system/keystone`: it labels every object
 * (helm-controller: postrender/origin_labels.go). Undefined for another helm's.
 */
export function helmReleaseOf([first]: readonly KubernetesObject[]): string | undefined {
  const {[`${FLUX}/namespace`]: namespace, [`${FLUX}/name`]: name} = first?.metadata.labels ?? {}
  return name === undefined ? undefined : `HelmRelease ${namespace}/${name}`
}

/** An entry of `metadata.managedFields`. */
export type ManagedFields = Frozen<ManagedFieldsEntry>

/**
 * Makes helm the manager of the fields that Flux's controller applied, of the objects that exist: helm's next apply then
 * meets no conflict, and removes what it has no longer. Values stay as they are.
 */
export async function takeFluxFields(
  client: ApiClient,
  discovery: Discovery,
  {namespace, objects}: {readonly namespace: string; readonly objects: readonly KubernetesObject[]},
): Promise<void> {
  const applied = objects.filter((object) => !isHook(object))
  await mapParallel(applied, async ({apiVersion, kind, metadata: {name, namespace: own}}) => {
    const resource = await discovery.find(apiVersion, kind)
    if (resource === undefined) return
    const place = {namespace: own ?? namespace, name}
    for (let attempt = 1; ; attempt++) {
      const live = await readObject<KubernetesObject>(client, resource, {...place, accept: METADATA})
      const fields = live && fieldsForHelm((live.metadata.managedFields ?? []) as readonly ManagedFields[])
      if (!fields) return
      try {
        await client.json({
          method: 'PATCH',
          path: resourcePath(resource, place.namespace, name),
          contentType: 'application/json-patch+json',
          body: [
            {op: 'replace', path: '/metadata/managedFields', value: fields},
            {op: 'replace', path: '/metadata/resourceVersion', value: live.metadata.resourceVersion},
          ],
          asked: asking('patch', resource, place.namespace, name),
        })
        return
      } catch (error) {
        if (!isApiError(error, 409) || attempt === ATTEMPTS) throw error
      }
    }
  })
}

/**
 * Returns managed fields with those that Flux's controller applied under the name of helm, joined with helm's own of the
 * same version; undefined if it applied none.
 */
export function fieldsForHelm(entries: readonly ManagedFields[]): readonly ManagedFields[] | undefined {
  const isApplied = ({operation, subresource}: ManagedFields) =>
    operation === 'Apply' && (subresource ?? '') === ''
  const ofFlux = entries.filter((each) => each.manager === FLUX_MANAGER && isApplied(each))
  if (ofFlux.length === 0) return undefined
  const result = entries.filter((each) => !ofFlux.includes(each))
  for (const {manager: _, ...taken} of ofFlux) {
    const at = result.findIndex(
      (each) => each.manager === MANAGER && isApplied(each) && each.apiVersion === taken.apiVersion,
    )
    if (at === -1) result.push({...taken, manager: MANAGER})
    else result[at] = {...result[at], fieldsV1: joined(result[at]!.fieldsV1 ?? {}, taken.fieldsV1 ?? {})}
  }
  return result
}

/** Sets of fields are maps of maps; an empty one is a leaf. */
function joined(one: object, other: object): object {
  const [left, right] = [one as Record<string, object>, other as Record<string, object>]
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return Object.fromEntries(keys.map((key) => [key, joined(left[key] ?? {}, right[key] ?? {})]))
}
