import {KkError} from '../../base/errors.ts'
import type {Values} from '../../base/values.ts'
import {type Driver, driversAmong} from '../../exchange/drivers.ts'
import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import type {Resource} from '../../kubernetes/api/resources.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import {type ReleaseId, releaseName} from '../../release.ts'

/**
 * The resources as cluster-wide collections, because objects of another tool may be in any namespace. The API
 * version is the tool's current one; fields about releases are the same in others.
 */
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
  /** The reason why they are unknown, for display. */
  readonly note?: string
}

type ClusterPorts = {readonly objects: Objects; readonly apiServer: ApiServer; readonly context: string}

/** Returns the objects of a kind that install releases; empty if the cluster does not serve the kind. */
export async function presentDrivers(cluster: ClusterPorts, kind: Driver['kind']): Promise<PresentDrivers> {
  const {objects, context} = cluster
  const resource = RESOURCES[kind]
  try {
    const listed = await objects.list<Values>(resource, '')
    if (listed) return {drivers: driversAmong(listed)}
    const other = await servedVersion(cluster, resource)
    const otherObjects =
      other === undefined ? [] : await objects.list<Values>({...resource, apiVersion: other}, '')
    return {drivers: driversAmong(otherObjects ?? [])}
  } catch (error) {
    if (!(error instanceof KkError) || error.code !== 'KK_FORBIDDEN') throw error
    // The API server checks permissions before it checks whether the kind exists.
    if ((await servedVersion(cluster, resource)) === undefined) return {drivers: []}
    const what = `which ${kind}s install releases on ${context} is unknown`
    return {drivers: [], note: `${what}: ${error.message}`}
  }
}

/**
 * Returns a version of the API in which the cluster serves a kind, the last in alphabetical order; undefined
 * if it serves none.
 */
async function servedVersion(
  {apiServer}: ClusterPorts,
  {apiVersion, kind}: Resource,
): Promise<string | undefined> {
  const group = `${apiVersion.split('/')[0]}/`
  const served = (await apiServer.customKinds()).filter(
    (each) => each.startsWith(group) && each.endsWith(`/${kind}`),
  )
  return served.toSorted().at(-1)?.slice(0, -`/${kind}`.length)
}

/**
 * Returns a note for each HelmRelease of Flux that manages one of these releases; no request without
 * releases.
 */
export async function driverNotes(
  releases: readonly ReleaseId[],
  cluster: ClusterPorts,
): Promise<readonly string[]> {
  const {driving, notes} = await fluxDrivers(releases, cluster)
  return [...driving.map((each) => `${title(each)}: kk adopt is refused until it is suspended`), ...notes]
}

/**
 * Throws `KK_HANDED_OVER` if a HelmRelease of Flux that is not suspended manages one of these releases: it
 * would revert changes by kk, and uninstall the release when it is deleted. Returns notes on suspended and
 * unknown ones.
 */
export async function expectSuspended(
  releases: readonly ReleaseId[],
  cluster: ClusterPorts,
): Promise<readonly string[]> {
  const {driving, suspended, notes} = await fluxDrivers(releases, cluster)
  if (driving.length > 0) {
    const commands = driving.map(({namespace, name}) => `flux suspend helmrelease ${name} -n ${namespace}`)
    const names = driving.map(({release}) => releaseName(release)).join(' ')
    throw new KkError('KK_HANDED_OVER', `${driving.map(title).join(', ')}, and would undo what kk changes`, {
      hint: `take back: suspend its HelmRelease, then delete that (${commands.join('; ')}); then kk adopt ${names}`,
    })
  }
  return [
    ...suspended.map((each) => `${title(each)}, but is suspended: delete it before it is resumed`),
    ...notes,
  ]
}

async function fluxDrivers(releases: readonly ReleaseId[], cluster: ClusterPorts) {
  if (releases.length === 0) return {driving: [], suspended: [], notes: []}
  const {drivers, note} = await presentDrivers(cluster, 'HelmRelease')
  const ofReleases = drivers.filter((each) => each.cluster === undefined && releases.includes(each.release))
  return {
    driving: ofReleases.filter(({isSuspended}) => !isSuspended),
    suspended: ofReleases.filter(({isSuspended}) => isSuspended),
    notes: note === undefined ? [] : [note],
  }
}

function title({kind, namespace, name, release}: Driver): string {
  return `${kind} ${namespace}/${name} drives ${release}`
}
