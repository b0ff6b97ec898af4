import type {ManagedFieldsEntry} from 'kubernetes-types/meta/v1.js'
import {mapParallel} from '../../base/parallel.ts'
import {isApiError} from '../api/api-error.ts'
import type {ApiClient} from '../api/client.ts'
import type {Discovery} from '../api/discovery.ts'
import {METADATA} from '../api/list.ts'
import {readObject, requestText, resourcePath} from '../api/resources.ts'
import type {DeepReadonly} from '../api/served.ts'
import {MANAGER} from '../dry-run/helm-writes.ts'
import {isHook} from '../manifest/helm-view.ts'
import type {KubernetesObject} from '../manifest/kubernetes-object.ts'

/** The field manager of Flux's controller (helm-controller: main.go controllerName). */
const FLUX_MANAGER = 'helm-controller'
const FLUX = 'helm.toolkit.fluxcd.io'
/** The maximum of attempts if another client writes in between. */
const MAX_ATTEMPTS = 3

/**
 * Returns the HelmRelease of Flux that created a manifest, such as `HelmRelease flux-system/keystone`, by the
 * labels that it sets on every object (helm-controller: postrender/origin_labels.go). Undefined if Flux did
 * not create it.
 */
export function helmReleaseOf([first]: readonly KubernetesObject[]): string | undefined {
  const {[`${FLUX}/namespace`]: namespace, [`${FLUX}/name`]: name} = first?.metadata.labels ?? {}
  return name === undefined ? undefined : `HelmRelease ${namespace}/${name}`
}

/** An entry of `metadata.managedFields`. */
export type ManagedFields = DeepReadonly<ManagedFieldsEntry>

/**
 * Makes helm the manager of the fields that Flux's controller applied, on the objects that exist: helm's next
 * apply then has no conflict, and removes fields that the manifest no longer has. Values do not change.
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
          summary: requestText('patch', resource, place.namespace, name),
        })
        return
      } catch (error) {
        if (!isApiError(error, 409) || attempt === MAX_ATTEMPTS) throw error
      }
    }
  })
}

/**
 * Returns managed fields with those that Flux's controller applied under helm's name, merged with helm's own
 * of the same version; undefined if it applied none.
 */
export function fieldsForHelm(entries: readonly ManagedFields[]): readonly ManagedFields[] | undefined {
  const isApplied = ({operation, subresource}: ManagedFields) =>
    operation === 'Apply' && (subresource ?? '') === ''
  const ofFlux = entries.filter((each) => each.manager === FLUX_MANAGER && isApplied(each))
  if (ofFlux.length === 0) return undefined
  const result = entries.filter((each) => !ofFlux.includes(each))
  for (const {manager: _, ...fields} of ofFlux) {
    const at = result.findIndex(
      (each) => each.manager === MANAGER && isApplied(each) && each.apiVersion === fields.apiVersion,
    )
    if (at === -1) result.push({...fields, manager: MANAGER})
    else
      result[at] = {...result[at], fieldsV1: mergeFields(result[at]!.fieldsV1 ?? {}, fields.fieldsV1 ?? {})}
  }
  return result
}

/** Merges two sets of fields. They are maps of maps; an empty one is a leaf. */
function mergeFields(one: object, other: object): object {
  const [left, right] = [one as Record<string, object>, other as Record<string, object>]
  const keys = [...new Set([...Object.keys(left), ...Object.keys(right)])]
  return Object.fromEntries(keys.map((key) => [key, mergeFields(left[key] ?? {}, right[key] ?? {})]))
}
