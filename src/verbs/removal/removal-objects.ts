import {asKkError, KkError} from '../../base/errors.ts'
import type {Values} from '../../base/values.ts'
import {isKeptInUpgrade} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {hookObjects, parseManifest, storedObjects} from '../../kubernetes/manifest/manifest.ts'
import type {Claim, LiveObjects} from '../../kubernetes/objects/live-objects.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import type {StoredRelease} from '../../kubernetes/records/release-record.ts'
import {isHolder} from '../../plan/leftovers/dropped.ts'
import {dataOfHooks} from '../../plan/removal/hook-data.ts'
import {
  claimsOfSets,
  deletedObject,
  nameOf,
  type ReleaseRemoval,
  type SplitObjects,
  splitObjects,
} from '../../plan/removal/objects.ts'
import {liveRevisions} from '../../plan/uses/observed.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'
import {CLAIM, claimNamespaces, claimsAmong, claimsIn} from './live-claims.ts'

/** The objects of one release to remove. */
export interface FoundObjects {
  readonly view: ReleaseRemoval
  readonly objects: readonly KubernetesObject[]
  /** All objects of the manifest, which helm reads; empty for an uninstalled release. */
  readonly manifest: readonly KubernetesObject[]
  readonly hooks: readonly KubernetesObject[]
  /** The objects that helm keeps, whether they exist now or not. */
  readonly stays: SplitObjects['stays']
  /** Claims that stay unless the user confirms their deletion by name. */
  readonly claims: readonly Claim[]
  /** Claims that are deleted with the release, by helm or by Kubernetes with their owners. */
  readonly deletedClaims: readonly Claim[]
  /** Whether an earlier uninstall was interrupted. */
  readonly isBegun: boolean
  readonly values: Values
  readonly uid: string
}

type Reads = {readonly records: Records; readonly live: LiveObjects}

/**
 * Finds the objects of a release in the stored manifests and on the cluster. Throws `KK_RECORD` if the
 * manifest cannot be read, and `KK_RACED` if the release is gone.
 */
export async function findObjects(cluster: Reads, release: ReleaseId): Promise<FoundObjects> {
  const namespace = releaseNamespace(release)
  const stored = await cluster.records.stored(release)
  if (!stored) {
    throw new KkError('KK_RACED', `${release} no longer exists`, {
      hint: 'run the same command again: kk reads the cluster first',
    })
  }
  const manifest = parseManifest(stored.manifest)
  const hooks = hookObjects(stored)
  const crds = (stored.crds ?? []).flatMap(parseManifest)
  const earlier = await earlierObjects(cluster, stored)
  const split = splitObjects({manifest, hooks, crds, earlier})
  const goingNamespaces = namespacesAmong(split.deleted)
  const stays = split.stays.filter(
    ({object}) => !goingNamespaces.includes(object.metadata.namespace ?? namespace),
  )
  // For an uninstalled release whose history was kept, helm deletes only the records.
  const isPurge = stored.status === 'uninstalled'
  const deleted = isPurge ? [] : split.deleted
  const present = await presentStays(cluster, namespace, stays)
  const staying = stays.filter((stay) => present.includes(stay) || (!isPurge && stay.why === 'removal-hook'))
  // Hooks of the removal: helm deletes them and re-creates them without data.
  const recreated = isPurge
    ? []
    : dataOfHooks(
        present.map(({object}) => object),
        'remove',
      )
  const goneNamespaces = isPurge ? [] : [...goingNamespaces, ...namespacesAmong(recreated)]
  const objects = [...split.deleted, ...present.map(({object}) => object)]
  const live = await claimsIn(cluster.live, [...claimNamespaces(objects, namespace), ...goneNamespaces])
  const sets = claimsOfSets(split.deleted, live, namespace)
  const remainingClaims = sets
    .filter((each) => !each.isDeleted && !goingNamespaces.includes(each.claim.namespace))
    .map(({claim}) => claim)
  const deletedClaims = [
    ...sets.filter((each) => each.isDeleted).map(({claim}) => claim),
    ...claimsAmong([...deleted, ...recreated], live, namespace),
    ...live.filter((claim) => goneNamespaces.includes(claim.namespace)),
  ]
  const keptClaims = claimsAmong(
    present.map(({object}) => object).filter((object) => !recreated.includes(object)),
    live,
    namespace,
  )
  return {
    view: {
      release,
      deleted: [
        ...[...deleted, ...recreated].map((object) => deletedObject(object, namespace)),
        ...sets
          .filter((each) => each.isDeleted)
          .map(({claim}) => ({...claimName(claim), with: 'with its data, according to its StatefulSet'})),
      ],
      stays: [
        ...staying.map(({object, why}) => ({...nameOf(object, namespace), why})),
        ...remainingClaims.map((claim) => ({...claimName(claim), why: 'claim' as const})),
      ],
    },
    objects: deleted,
    manifest: isPurge ? [] : manifest,
    hooks,
    stays,
    claims: [...remainingClaims, ...keptClaims],
    deletedClaims: [...new Map(deletedClaims.map((claim) => [claim.uid, claim])).values()],
    isBegun: stored.status === 'uninstalling',
    values: stored.values,
    uid: stored.secret.uid,
  }
}

/**
 * Returns objects of earlier revisions that may still exist, because helm deletes only the objects of the
 * last revision: all objects of revisions that failed since the last deployed one, and the objects of
 * superseded revisions with an annotation to keep them.
 */
async function earlierObjects(
  cluster: Reads,
  {release, revision}: StoredRelease,
): Promise<readonly KubernetesObject[]> {
  const revisions = await cluster.records.revisions(release)
  const live = new Set(liveRevisions(revisions))
  const objects = await Promise.all(
    revisions
      .filter((record) => record.revision < revision)
      .map(async (record) => {
        const isLiving = live.has(record)
        const stored = await cluster.records.stored(release, record.revision).catch((error: unknown) => {
          if (isLiving || asKkError(error).code !== 'KK_RECORD') throw error
        })
        const revisionObjects = stored ? storedObjects(stored) : []
        return isLiving
          ? revisionObjects
          : revisionObjects.filter((each) => isHolder(each) || isKeptInUpgrade(each))
      }),
  )
  return objects.flat()
}

function namespacesAmong(objects: readonly KubernetesObject[]): readonly string[] {
  return objects.filter(({kind}) => kind === 'Namespace').map(({metadata}) => metadata.name)
}

async function presentStays(
  cluster: Reads,
  namespace: string,
  stays: SplitObjects['stays'],
): Promise<SplitObjects['stays']> {
  const objects = stays.map(({object}) => object)
  const present = new Set((await cluster.live.present(namespace, objects)).map(({object}) => object))
  return stays.filter(({object}) => present.has(object))
}

function claimName({name, namespace}: Claim) {
  return {kind: CLAIM, name, namespace}
}
