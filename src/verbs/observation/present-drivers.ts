import type {Resource} from '../../cluster/api/resources.ts'
import type {Cluster} from '../../cluster/cluster.ts'
import {KkError} from '../../errors.ts'
import {type Driver, driversAmong} from '../../exchange/drivers.ts'
import type {Values} from '../../release.ts'

/** As collections of the whole cluster: an object of another tool may be in any namespace. */
const RESOURCES: Readonly<Record<Driver['kind'], Resource>> = {
  HelmRelease: {
    apiVersion: 'helm.toolkit.fluxcd.io/v2',
    kind: 'HelmRelease',
    plural: 'helmreleases',
    namespaced: false,
  },
  Application: {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    plural: 'applications',
    namespaced: false,
  },
}

export interface PresentDrivers {
  readonly drivers: readonly Driver[]
  /** Why they are not known, for people. */
  readonly note?: string
}

/** Returns the objects of a kind that install releases; none where the cluster does not have the kind. */
export async function presentDrivers(
  {objects, customKinds, context}: Pick<Cluster, 'objects' | 'customKinds' | 'context'>,
  kind: Driver['kind'],
): Promise<PresentDrivers> {
  const resource = RESOURCES[kind]
  try {
    return {drivers: driversAmong((await objects.list<Values>(resource, '')) ?? [])}
  } catch (error) {
    if (!(error instanceof KkError) || error.code !== 'KK_FORBIDDEN') throw error
    // Rights are checked before it is known whether there is such a kind.
    if (!(await customKinds()).includes(`${resource.apiVersion}/${kind}`)) return {drivers: []}
    const what = `which ${kind}s install releases on ${context} is not known`
    return {drivers: [], note: `${what}: ${error.message}`}
  }
}
