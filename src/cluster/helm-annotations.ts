import {type ReleaseId, releaseId, releaseName, releaseNamespace} from '../release.ts'
import type {KubernetesObject} from './cluster.ts'

/** An object with the annotations that tell how helm treats it. */
type Annotated = Pick<KubernetesObject, 'metadata'>

/** The annotation that makes an object a hook; its value names the events. */
export const HOOK = 'helm.sh/hook'

/** Returns true for an object that helm makes as a hook: apart from the others, and anew each time. */
export function isHook({metadata}: Annotated): boolean {
  return metadata.annotations?.[HOOK] !== undefined
}

/** Returns the events of a hook, in lower case: `pre-install`, `test`; none for an object that is no hook. */
export function hookEvents(object: Annotated): readonly string[] {
  return wordsOf(object, HOOK)
}

/** Helm reads the older name as the same (Helm 4.2: release/v1/util/manifest_sorter.go events). */
const TEST_EVENTS: readonly string[] = ['test', 'test-success']

/** Returns true for a hook that `helm test` runs. */
export function isTestHook(object: Annotated): boolean {
  return hookEvents(object).some((event) => TEST_EVENTS.includes(event))
}

/**
 * Returns the weight of a hook; 0 if none is stated, or it is no whole number (Helm 4.2: manifest_sorter.go
 * calculateHookWeight).
 */
export function hookWeight({metadata}: Annotated): number {
  const text = metadata.annotations?.['helm.sh/hook-weight'] ?? ''
  return /^[+-]?\d+$/.test(text) ? Number(text) : 0
}

/** Returns when helm deletes a hook, in lower case: `before-hook-creation`, `hook-succeeded`, `hook-failed`. */
export function hookDeletePolicies(object: Annotated): readonly string[] {
  return wordsOf(object, 'helm.sh/hook-delete-policy')
}

/** Returns true for an object that helm leaves at every removal (Helm 4.2: resource_policy.go). */
export function isKept({metadata}: Annotated): boolean {
  return metadata.annotations?.[RESOURCE_POLICY]?.trim().toLowerCase() === KEEP
}

const RESOURCE_POLICY = 'helm.sh/resource-policy'
const KEEP = 'keep'

/** The annotation that keeps an object which helm would delete. */
export const KEPT: Readonly<Record<string, string>> = {[RESOURCE_POLICY]: KEEP}

/**
 * Splits as Helm does: at commas, without regard to case and to spaces around each word (Helm 4.2: manifest_sorter.go
 * operateAnnotationValues).
 */
function wordsOf({metadata}: Annotated, annotation: string): readonly string[] {
  const text = metadata.annotations?.[annotation]
  return text === undefined ? [] : text.split(',').map((word) => word.trim().toLowerCase())
}

const RELEASE_NAME = 'meta.helm.sh/release-name'
const RELEASE_NAMESPACE = 'meta.helm.sh/release-namespace'

/**
 * Returns the annotations that helm writes on every object of a release but hooks (Helm 4.2: action/validate.go
 * setMetadataVisitor).
 */
export function releaseAnnotations(release: ReleaseId): Readonly<Record<string, string>> {
  return {[RELEASE_NAME]: releaseName(release), [RELEASE_NAMESPACE]: releaseNamespace(release)}
}

/**
 * Returns the release that these annotations name. Where they leave its namespace out, it is `home`; without `home`
 * there is no release then.
 */
export function annotatedRelease(
  {annotations = {}}: Pick<KubernetesObject['metadata'], 'annotations'>,
  home?: string,
): ReleaseId | undefined {
  const name = annotations[RELEASE_NAME]
  const namespace = annotations[RELEASE_NAMESPACE] ?? home
  return name === undefined || namespace === undefined ? undefined : releaseId(namespace, name)
}
