import {type ReleaseId, releaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {KubernetesObject} from './kubernetes-object.ts'

const RELEASE_NAME = 'meta.helm.sh/release-name'
const RELEASE_NAMESPACE = 'meta.helm.sh/release-namespace'

/**
 * Returns the annotations that helm writes on every object of a release except hooks (Helm 4.2:
 * action/validate.go setMetadataVisitor).
 */
export function releaseAnnotations(release: ReleaseId): Readonly<Record<string, string>> {
  return {[RELEASE_NAME]: releaseName(release), [RELEASE_NAMESPACE]: releaseNamespace(release)}
}

/**
 * Returns the release of these annotations. Its namespace defaults to `defaultNamespace`; without either
 * there is no release.
 */
export function annotatedRelease(
  {annotations = {}}: Pick<KubernetesObject['metadata'], 'annotations'>,
  defaultNamespace?: string,
): ReleaseId | undefined {
  const name = annotations[RELEASE_NAME]
  const namespace = annotations[RELEASE_NAMESPACE] ?? defaultNamespace
  return name === undefined || namespace === undefined ? undefined : releaseId(namespace, name)
}
