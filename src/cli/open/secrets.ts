import {once} from '../../base/once.ts'
import type {Environment} from '../../environment/environment.ts'
import type {KeptSecrets} from '../../kubernetes/records/kept-secrets.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import type {Plugins} from '../../overrides/system/plugins.ts'
import type {SupplyLayers} from '../../prepare/gathering/gather.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {releaseNamespace} from '../../release.ts'
import {storeKeeper} from '../../verbs/secrets/secret-keeper.ts'
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

/** What keeps secrets; without a cluster, the store alone. */
type Keeping = {readonly secrets: KeptSecrets} | undefined
/** What also tells of those in use. */
type Running = {readonly secrets: KeptSecrets; readonly records: Records} | undefined

/**
 * Returns the environment with the generated secrets of its releases, which the cluster keeps, or else the store, or
 * with which they run. Where every layer states its own, nobody is asked.
 */
export async function openSecrets(opened: Prepared, flags: StoreFlags, cluster: Running): Promise<Supplied> {
  return supplyFrom(opened, cluster, () => storedSecrets(flags, opened.environment))
}

/** As `openSecrets`, with those that a store kept at hand: `stored` is called where the cluster does not keep all of them. */
export async function supplyFrom(
  opened: Prepared,
  cluster: Running,
  stored: () => Promise<KnownSecrets>,
): Promise<Supplied> {
  const prepared = await withSharedSecrets(opened)
  const needs = await secretNeeds(prepared)
  const kept = await keptSecretsOf(cluster, [...needs.keys()].map(releaseNamespace))
  const unkept = lackingIn(kept, needs)
  const store = unkept.size === 0 ? new Map() : await stored()
  const inUse = cluster && (await secretsInUse(prepared, lackingIn(store, unkept), cluster))
  return supplySecrets(prepared, {needs, cluster: kept, store, inUse})
}

/** Returns the needs for secrets that are not among the known ones. */
function lackingIn(known: KnownSecrets, needs: SecretNeeds): SecretNeeds {
  const lacking = [...needs].map(([release, each]) => {
    const secrets = known.get(releaseNamespace(release))
    return [release, each.filter(({name}) => !secrets?.has(name))] as const
  })
  return new Map(lacking.filter(([, each]) => each.length > 0))
}

/** Lays secrets among the layers of releases that are only looked at: those of the cluster, if there is one, or of the store. */
export function suppliedBy(
  flags: StoreFlags,
  environment: Environment,
  cluster: Keeping,
): (plugins: Plugins) => SupplyLayers {
  const stored = once(() => storedSecrets(flags, environment))
  return (plugins) => async (found) => {
    const shared = await sharedSecrets({environment, releases: found, plugins})
    const releases = new Map(
      [...found].map(([id, each]) => [id, {...each, layers: shared.layers.get(id) ?? each.layers}]),
    )
    const needs = await secretNeeds({environment, releases, plugins})
    const kept = await keptSecretsOf(cluster, [...needs.keys()].map(releaseNamespace))
    return layersWithSecrets(releases, {
      needs,
      cluster: kept,
      store: needs.size === 0 ? new Map() : await stored(),
    })
  }
}

/** Returns the secrets that the cluster keeps for these namespaces. */
export async function keptSecretsOf(cluster: Keeping, names: readonly string[]): Promise<KnownSecrets> {
  if (!cluster) return new Map()
  const namespaces = [...new Set(names)]
  return new Map(
    await Promise.all(
      namespaces.map(async (namespace) => [namespace, await cluster.secrets.read(namespace)] as const),
    ),
  )
}

/** Returns the secrets that the store keeps, by namespace; none where there is no store. */
async function storedSecrets(flags: StoreFlags, environment: Environment | undefined): Promise<KnownSecrets> {
  await using store = await openStoreToRead(flags, environment)
  return store ? await storeKeeper(store).list() : new Map()
}
