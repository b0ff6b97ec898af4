import type {Claim, Cluster, KubernetesObject, StoredRelease} from '../../cluster/cluster.ts'
import {parseManifest} from '../../cluster/manifest.ts'
import {asKkError, KkError} from '../../errors.ts'
import {
  claimsOfSets,
  goingObject,
  isKept,
  nameOf,
  type ReleaseRemoval,
  type SplitObjects,
  splitObjects,
} from '../../plan/removal/objects.ts'
import {livingRevisions} from '../../plan/removal/observed.ts'
import {type ReleaseId, releaseNamespace, type Values} from '../../release.ts'

/** All that is known of the objects of one release that is to be removed. */
export interface FoundObjects {
  readonly view: ReleaseRemoval
  readonly objects: readonly KubernetesObject[]
  readonly hooks: readonly KubernetesObject[]
  /** What helm leaves, whether it exists now or not. */
  readonly stays: SplitObjects['stays']
  /** Claims that stay unless the user gives them up by name. */
  readonly claims: readonly Claim[]
  /** Claims that go with the release: helm deletes them, or Kubernetes with what helm deletes. */
  readonly going: readonly Claim[]
  /** Whether an earlier uninstall was cut short. */
  readonly isBegun: boolean
  readonly values: Values
  readonly uid: string
}

const CLAIM = 'PersistentVolumeClaim'

type Reads = Pick<Cluster, 'stored' | 'revisions' | 'present' | 'claims'>

/** Looks at the stored manifests and at the cluster. Throws `KK_RECORD` when the manifest cannot be read. */
export async function findObjects(cluster: Reads, release: ReleaseId): Promise<FoundObjects> {
  const namespace = releaseNamespace(release)
  const stored = await cluster.stored(release)
  if (!stored) {
    throw new KkError('KK_RACED', `${release} is not there any more`, {
      hint: 'run the same command again: kk looks at the cluster first',
    })
  }
  const manifest = parseManifest(stored.manifest)
  const hooks = stored.hooks.flatMap(parseManifest)
  const crds = (stored.crds ?? []).flatMap(parseManifest)
  const earlier = await earlierObjects(cluster, stored)
  const split = splitObjects({manifest, hooks, crds, earlier})
  const goesWithNamespace = within(split.goes, namespace)
  const stays = split.stays.filter(({object}) => !goesWithNamespace(object.metadata.namespace))
  // Of a release whose history alone was kept, helm takes only the records.
  const goes = stored.status === 'uninstalled' ? [] : split.goes
  const present = await presentStays(cluster, namespace, stays)
  const sets = claimsOfSets(split.goes, await claimsNear(cluster, split.goes, namespace), namespace)
  const left = sets
    .filter((each) => !each.goes && !goesWithNamespace(each.claim.namespace))
    .map(({claim}) => claim)
  const going = [
    ...sets.filter((each) => each.goes).map(({claim}) => claim),
    ...(await goingClaims(cluster, goes, namespace)),
  ]
  const kept = await keptClaims(cluster, namespace, present)
  return {
    view: {
      release,
      goes: [
        ...goes.map((object) => goingObject(object, namespace)),
        ...sets
          .filter((each) => each.goes)
          .map(({claim}) => ({...claimName(claim), with: 'with its data, as its StatefulSet says'})),
      ],
      stays: [
        ...present.map(({object, why}) => ({...nameOf(object, namespace), why})),
        ...left.map((claim) => ({...claimName(claim), why: 'claim' as const})),
      ],
    },
    objects: goes,
    hooks,
    stays,
    claims: [...left, ...kept],
    going: [...new Map(going.map((claim) => [claim.uid, claim])).values()],
    isBegun: stored.status === 'uninstalling',
    values: stored.values,
    uid: stored.secret.uid,
  }
}

/** Whether what lies in a namespace goes with one of the manifest. */
function within(goes: readonly KubernetesObject[], own: string): (namespace: string | undefined) => boolean {
  const namespaces = new Set(goes.filter(({kind}) => kind === 'Namespace').map(({metadata}) => metadata.name))
  return (namespace = own) => namespaces.has(namespace)
}

/**
 * Objects of revisions before the last that may exist, for helm deletes only what its last revision has: all of those that
 * failed since the last deployed one, and of superseded ones the claims and what helm was told to keep.
 */
async function earlierObjects(
  cluster: Reads,
  {release, revision}: StoredRelease,
): Promise<readonly KubernetesObject[]> {
  const revisions = await cluster.revisions(release)
  const living = new Set(livingRevisions(revisions))
  const objects = await Promise.all(
    revisions
      .filter((record) => record.revision < revision)
      .map(async (record) => {
        const isLiving = living.has(record)
        const stored = await cluster.stored(release, record.revision).catch((error: unknown) => {
          if (isLiving || asKkError(error).code !== 'KK_RECORD') throw error
        })
        const found = stored ? [stored.manifest, ...stored.hooks].flatMap(parseManifest) : []
        return isLiving ? found : found.filter((each) => each.kind === CLAIM || isKept(each))
      }),
  )
  return objects.flat()
}

async function presentStays(
  cluster: Reads,
  namespace: string,
  stays: SplitObjects['stays'],
): Promise<SplitObjects['stays']> {
  const objects = stays.map(({object}) => object)
  const present = new Set((await cluster.present(namespace, objects)).map(({object}) => object))
  return stays.filter(({object}) => present.has(object))
}

async function claimsNear(
  cluster: Reads,
  objects: readonly KubernetesObject[],
  namespace: string,
): Promise<readonly Claim[]> {
  const sets = objects.filter(({kind}) => kind === 'StatefulSet')
  const namespaces = new Set(sets.map(({metadata}) => metadata.namespace ?? namespace))
  return (await Promise.all([...namespaces].map((each) => cluster.claims(each)))).flat()
}

/** Claims of the manifest that helm is told to keep, as they are now. */
function keptClaims(
  cluster: Reads,
  namespace: string,
  stays: SplitObjects['stays'],
): Promise<readonly Claim[]> {
  return liveClaims(
    cluster,
    stays.map(({object}) => object),
    namespace,
  )
}

/** Claims of the manifest, and all in namespaces of the manifest. */
async function goingClaims(
  cluster: Reads,
  goes: readonly KubernetesObject[],
  namespace: string,
): Promise<readonly Claim[]> {
  const namespaces = goes.filter(({kind}) => kind === 'Namespace').map(({metadata}) => metadata.name)
  const within = await Promise.all(namespaces.map((each) => cluster.claims(each)))
  return [...(await liveClaims(cluster, goes, namespace)), ...within.flat()]
}

/** Those of the objects that are claims, as they are now. */
async function liveClaims(
  cluster: Reads,
  objects: readonly KubernetesObject[],
  namespace: string,
): Promise<readonly Claim[]> {
  const claims = objects.filter(({kind}) => kind === CLAIM)
  const found = claims.map(async ({metadata}) => {
    const home = metadata.namespace ?? namespace
    return (await cluster.claims(home)).filter(({name}) => name === metadata.name)
  })
  return (await Promise.all(found)).flat()
}

function claimName({name, namespace}: Claim) {
  return {kind: CLAIM, name, namespace}
}
