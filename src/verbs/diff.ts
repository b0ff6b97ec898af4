import type {KubernetesObject} from '../kubernetes/manifest/kubernetes-object.ts'
import {upgradedObjects} from '../kubernetes/manifest/manifest.ts'
import {mergedValues} from '../overrides/layers.ts'
import {helmActions, type Rendered} from '../prepare/rendering/render.ts'
import {redactObjects} from '../redact/objects.ts'
import type {ReleaseId} from '../release.ts'
import type {PlannedChange} from './change/planned-change.ts'

/** The changes that a plan would make in the manifests of its releases. */
export interface PlanDiff {
  readonly diffs: readonly {
    readonly release: ReleaseId
    /** Undefined when the release is not installed. */
    readonly before: readonly KubernetesObject[] | undefined
    readonly after: readonly KubernetesObject[]
  }[]
  /** Masks the deployed and the new secret values of the releases in a string. */
  readonly redact: ReturnType<typeof redactObjects>
}

/** Compares the rendered objects of each release to install or upgrade with those of its last record. */
export function planDiff(
  {prepared, plan, previous}: Pick<PlannedChange, 'prepared' | 'plan' | 'previous'>,
  rendered: Rendered,
): PlanDiff {
  const compared = helmActions(plan).map(({release}) => {
    const stored = previous.get(release)?.[0]
    const before = stored && upgradedObjects(stored)
    const after = rendered.get(release)!
    const wanted = mergedValues(prepared.releases.get(release)!.layers)
    return {release, before, after, values: {before: stored?.values ?? {}, after: wanted}}
  })
  const objects = compared.flatMap(({before = [], after}) => [...before, ...after])
  const secretValues = compared.map(({values}) => values)
  return {
    diffs: compared.map(({values: _, ...diff}) => diff),
    redact: redactObjects(objects, {given: secretValues}),
  }
}
