import {asKkError} from '../../base/errors.ts'
import {once} from '../../base/once.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import type {SecretStore} from '../../kubernetes/records/secret-store.ts'
import type {Plugins} from '../../overrides/system/plugins.ts'
import type {SupplyLayers} from '../../prepare/gathering/gather.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {releaseNamespace} from '../../release.ts'
import {overrideSecretStore} from '../../verbs/secrets/override-secret-store.ts'
import {expectReferencesUsed, withReferencedSecrets} from '../../verbs/secrets/referenced-secrets.ts'
import {type SecretNeeds, secretNeeds} from '../../verbs/secrets/secret-needs.ts'
import {secretsInUse} from '../../verbs/secrets/secrets-in-use.ts'
import {sharedSecrets, withSharedSecrets} from '../../verbs/secrets/shared-secrets.ts'
import {
  type KnownSecrets,
  layersWithSecrets,
  type Supplied,
  supplySecrets,
} from '../../verbs/secrets/supply-secrets.ts'
import type {StoreFlags} from '../flags.ts'
import {openStoreToRead} from './store.ts'

/** The cluster that stores secrets; undefined for the override store only. */
type SecretCluster = {readonly secrets: SecretStore} | undefined
/** A cluster that also has records of the secrets in use. */
type ReleaseCluster = {readonly secrets: SecretStore; readonly records: Records} | undefined

/**
 * Returns the environment with the generated secrets of its releases: from the cluster, else from the
 * override store, else those in use. Reads neither if the layers set all secrets.
 */
export async function openSecrets(
  opened: Prepared,
  flags: StoreFlags,
  cluster: ReleaseCluster,
): Promise<Supplied> {
  return supplyFrom(opened, cluster, () => storedSecrets(flags, opened.environment))
}

/**
 * Adds generated secrets to what is inspected, because they determine whether inputs changed; skips them if
 * they cannot be read.
 */
export async function withReadableSecrets<Subject extends {readonly prepared: Prepared | undefined}>(
  subject: Subject,
  flags: StoreFlags,
  cluster: NonNullable<ReleaseCluster>,
): Promise<Subject> {
  if (!subject.prepared) return subject
  try {
    return {...subject, prepared: (await openSecrets(subject.prepared, flags, cluster)).planned}
  } catch (error) {
    const {code} = asKkError(error)
    if (code !== 'KK_FORBIDDEN' && code !== 'KK_RECORD') throw error
    return subject
  }
}

/**
 * Like `openSecrets`, with another source than the store: `stored` is called if the cluster does not have all
 * of them.
 */
export async function supplyFrom(
  opened: Prepared,
  cluster: ReleaseCluster,
  stored: () => Promise<KnownSecrets>,
): Promise<Supplied> {
  const prepared = await withSharedSecrets(opened)
  const needs = await secretNeeds(prepared)
  expectReferencesUsed(prepared.environment, needs)
  const inCluster = await clusterSecrets(prepared.environment, needs, cluster)
  const missing = missingIn(inCluster, needs)
  const store = missing.size === 0 ? new Map() : await stored()
  const inUse = cluster && (await secretsInUse(prepared, missingIn(store, missing), cluster))
  return supplySecrets(prepared, {needs, cluster: inCluster, store, inUse})
}

/** Returns the needs for secrets that are not among `available`. */
function missingIn(available: KnownSecrets, needs: SecretNeeds): SecretNeeds {
  const missing = [...needs].map(([release, each]) => {
    const secrets = available.get(releaseNamespace(release))
    return [release, each.filter(({name}) => !secrets?.has(name))] as const
  })
  return new Map(missing.filter(([, each]) => each.length > 0))
}

/**
 * Returns a function that adds secrets to the layers of releases for inspection: from the cluster, if there
 * is one, else from the store.
 */
export function secretsLayer(
  flags: StoreFlags,
  environment: Environment,
  cluster: SecretCluster,
): (plugins: Plugins) => SupplyLayers {
  const stored = once(() => storedSecrets(flags, environment))
  return (plugins) => async (gathered) => {
    const shared = await sharedSecrets({environment, releases: gathered, plugins})
    const releases = new Map(
      [...gathered].map(([id, each]) => [id, {...each, layers: shared.layers.get(id) ?? each.layers}]),
    )
    const needs = await secretNeeds({environment, releases, plugins})
    const inCluster = await clusterSecrets(environment, needs, cluster)
    return layersWithSecrets(releases, {
      needs,
      cluster: inCluster,
      store: needs.size === 0 ? new Map() : await stored(),
    })
  }
}

/**
 * Returns the secrets that the cluster has for these needs: those that kk stores, and those of other Secrets
 * that the environment names. Throws as `withReferencedSecrets`.
 */
export async function clusterSecrets(
  environment: Environment,
  needs: SecretNeeds,
  cluster: SecretCluster,
): Promise<KnownSecrets> {
  const stored = await readSecrets(cluster, [...needs.keys()].map(releaseNamespace))
  return cluster ? withReferencedSecrets(environment, needs, {stored, secrets: cluster.secrets}) : stored
}

/** Returns the secrets that the cluster stores for these namespaces. */
export async function readSecrets(cluster: SecretCluster, names: readonly string[]): Promise<KnownSecrets> {
  if (!cluster) return new Map()
  const namespaces = [...new Set(names)]
  return new Map(
    await Promise.all(
      namespaces.map(async (namespace) => [namespace, await cluster.secrets.read(namespace)] as const),
    ),
  )
}

/** Returns the secrets in the override store by namespace; empty if there is no store. */
async function storedSecrets(flags: StoreFlags, environment: Environment | undefined): Promise<KnownSecrets> {
  await using store = await openStoreToRead(flags, environment)
  return store ? await overrideSecretStore(store).list() : new Map()
}
