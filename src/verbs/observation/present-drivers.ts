import {KkError} from '../../base/errors.ts'
import type {Values} from '../../base/values.ts'
import {type Driver, driversAmong} from '../../exchange/drivers.ts'
import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import type {Resource} from '../../kubernetes/api/resources.ts'
import type {Objects} from '../../kubernetes/objects/objects.ts'
import {type ReleaseId, releaseName} from '../../release.ts'

/**
 * As collections of the whole cluster: an object of another tool may be in any namespace. In the version that the tool serves
 * now; what the others have of a release is the same.
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
  /** Why they are not known, for people. */
  readonly note?: string
}

type Asked = {readonly objects: Objects; readonly apiServer: ApiServer; readonly context: string}

/** Returns the objects of a kind that install releases; none where the cluster does not have the kind. */
export async function presentDrivers(cluster: Asked, kind: Driver['kind']): Promise<PresentDrivers> {
  const {objects, context} = cluster
  const resource = RESOURCES[kind]
  try {
    const found = await objects.list<Values>(resource, '')
    if (found) return {drivers: driversAmong(found)}
    const other = await servedVersion(cluster, resource)
    const others = other === undefined ? [] : await objects.list<Values>({...resource, apiVersion: other}, '')
    return {drivers: driversAmong(others ?? [])}
  } catch (error) {
    if (!(error instanceof KkError) || error.code !== 'KK_FORBIDDEN') throw error
    // Rights are checked before it is known whether there is such a kind.
    if ((await servedVersion(cluster, resource)) === undefined) return {drivers: []}
    const what = `which ${kind}s install releases on ${context} is not known`
    return {drivers: [], note: `${what}: ${error.message}`}
  }
}

/** Returns a version of the API in which the cluster serves a kind, the newest by its name; undefined if it serves none. */
async function servedVersion({apiServer}: Asked, {apiVersion, kind}: Resource): Promise<string | undefined> {
  const group = `${apiVersion.split('/')[0]}/`
  const served = (await apiServer.customKinds()).filter(
    (each) => each.startsWith(group) && each.endsWith(`/${kind}`),
  )
  return served.toSorted().at(-1)?.slice(0, -`/${kind}`.length)
}

/** Returns a note for each HelmRelease of Flux that drives one of these releases; asks nothing where there are none. */
export async function driverNotes(
  releases: readonly ReleaseId[],
  cluster: Asked,
): Promise<readonly string[]> {
  const {driving, notes} = await driversOf(releases, cluster)
  return [...driving.map((each) => `${title(each)}: kk adopt is refused until it is suspended`), ...notes]
}

/**
 * Throws `KK_HANDED_OVER` if a HelmRelease of Flux drives one of these releases and is not suspended: it would undo what kk
 * changes, and uninstall the release when it is deleted. Returns notes on what is suspended, or not known.
 */
export async function expectLetGo(
  releases: readonly ReleaseId[],
  cluster: Asked,
): Promise<readonly string[]> {
  const {driving, suspended, notes} = await driversOf(releases, cluster)
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

async function driversOf(releases: readonly ReleaseId[], cluster: Asked) {
  if (releases.length === 0) return {driving: [], suspended: [], notes: []}
  const {drivers, note} = await presentDrivers(cluster, 'HelmRelease')
  const theirs = drivers.filter((each) => each.cluster === undefined && releases.includes(each.release))
  return {
    driving: theirs.filter(({isSuspended}) => !isSuspended),
    suspended: theirs.filter(({isSuspended}) => isSuspended),
    notes: note === undefined ? [] : [note],
  }
}

function title({kind, namespace, name, release}: Driver): string {
  return `${kind} ${namespace}/${name} drives ${release}`
}
