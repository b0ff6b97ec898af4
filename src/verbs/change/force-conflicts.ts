import type {Cluster} from '../../cluster/cluster.ts'
import {KkError} from '../../errors.ts'
import type {Helm} from '../../helm/helm.ts'
import {releaseId} from '../../release.ts'

/**
 * A helm whose upgrades take fields from other managers. Helm 4 refuses the flag for a release that it applies on the
 * client side: there it is left out, for nobody is asked there. Throws `KK_USAGE` for helm 3.
 */
export function forcingConflicts(helm: Helm, cluster: Pick<Cluster, 'stored'>): Helm {
  if (helm.version.major === 3) {
    throw new KkError(
      'KK_USAGE',
      `--force-conflicts needs helm 4, but ${helm.path} is ${helm.version.text}`,
      {
        hint: 'leave it out: helm 3 asks no manager of a field, and overwrites it',
      },
    )
  }
  return {
    ...helm,
    async upgrade(call, options) {
      const stored = await cluster.stored(releaseId(call.namespace, call.name))
      return helm.upgrade(call, {...options, forceConflicts: stored?.applyMethod === 'ssa'})
    },
  }
}
