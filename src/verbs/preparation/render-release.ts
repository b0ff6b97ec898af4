import type {KubernetesObject} from '../../cluster/cluster.ts'
import {parseManifest} from '../../cluster/manifest.ts'
import type {Helm, ReleaseCall, TemplateOptions} from '../../helm/helm.ts'

/** What helm renders of one release: its objects, hooks and `crds/` included. */
export async function renderRelease(
  helm: Pick<Helm, 'template'>,
  call: ReleaseCall,
  options: TemplateOptions,
): Promise<readonly KubernetesObject[]> {
  return parseManifest(await helm.template(call, options))
}
