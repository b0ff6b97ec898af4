import {mergeValues} from '../../base/merge.ts'
import type {Values} from '../../base/values.ts'
import type {SecretsByName} from '../../kubernetes/records/secret-store.ts'
import {generateSecret, placeholderSecret} from '../../overrides/generate-secret.ts'
import type {Layer} from '../../overrides/layer.ts'
import type {SecretNeed} from '../../overrides/system/plugin.ts'
import {layerDigests} from '../../plan/digest.ts'
import type {GeneratedSecret, Prepared, PreparedRelease} from '../../prepare/prepare.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'
import type {SecretNeeds} from './secret-needs.ts'

/** The kept secrets, by namespace. */
export type KnownSecrets = ReadonlyMap<string, SecretsByName>

export interface SecretSources {
  readonly needs: SecretNeeds
  /** The secrets that the cluster keeps; they win. */
  readonly cluster: KnownSecrets
  /** The secrets that the store keeps, for work without a cluster. */
  readonly store: KnownSecrets
  /** Secrets of running releases that neither cluster nor store has; see `secretsInUse`. */
  readonly inUse?: KnownSecrets
}

/** A secret that the cluster does not keep yet. */
export interface SuppliedSecret {
  readonly release: ReleaseId
  readonly namespace: string
  readonly name: string
  readonly kind: SecretNeed['kind']
  readonly value: string
  /** Whether a running release uses this value. */
  readonly isInUse: boolean
}

/** An environment whose releases have their secrets. */
export interface Supplied {
  /**
   * The environment to plan with: secrets that are not stored yet are placeholders, so that digests are
   * stable.
   */
  readonly planned: Prepared
  /** The environment to run with: with the real values, and their digests. */
  readonly final: Prepared
  /** The secrets to store in the cluster before they are used, by release. */
  readonly missing: readonly SuppliedSecret[]
}

/** The placeholder for a new value in the digest of a plan. */
const NEW_SECRET = 'new secret'

/** Adds the needed secrets to the releases. Missing secrets are generated, but not stored yet. */
export function supplySecrets(
  prepared: Prepared,
  {needs, cluster, store, inUse = new Map()}: SecretSources,
): Supplied {
  if (needs.size === 0) return {planned: prepared, final: prepared, missing: []}
  const generated = new Map<string, string>()
  const missing: SuppliedSecret[] = []
  const generatedByRelease = new Map<ReleaseId, readonly GeneratedSecret[]>()
  const planned = new Map(prepared.releases)
  const finalReleases = new Map(prepared.releases)
  for (const [release, unstated] of needs) {
    const namespace = releaseNamespace(release)
    const values = unstated.map(({name, kind, path, byHand, derive, derivedWith}) => {
      const stored = cluster.get(namespace)?.get(name)
      const used = inUse.get(namespace)?.get(name)
      const existing = (stored ?? store.get(namespace)?.get(name) ?? used)?.value
      const key = JSON.stringify([namespace, name])
      const value = existing ?? generated.get(key) ?? generateSecret(kind)
      if (existing === undefined) generated.set(key, value)
      if (stored === undefined)
        missing.push({release, namespace, name, kind, value, isInUse: used !== undefined})
      const isNew = existing === undefined
      const {former = [], isReferenced = false} = stored ?? {}
      return {name, path, value, byHand, former, isReferenced, isNew, derive, derivedWith}
    })
    const supplied = values.map(({derive, derivedWith, ...secret}) => {
      const second = values.find(({name}) => name === derivedWith)
      const value: unknown = derive ? derive(secret.value, second?.value ?? '') : secret.value
      return {...secret, value, isNew: secret.isNew || second?.isNew === true}
    })
    generatedByRelease.set(
      release,
      supplied.map(({value: _, ...secret}) => secret),
    )
    const real = withLayer(prepared.releases.get(release)!, supplied)
    finalReleases.set(release, real)
    if (!supplied.some(({isNew}) => isNew)) {
      planned.set(release, real)
      continue
    }
    const counted = supplied.map(({path, value, isNew}) => ({path, value: isNew ? NEW_SECRET : value}))
    planned.set(release, {...real, desired: withLayer(prepared.releases.get(release)!, counted).desired})
  }
  return {
    planned: {
      ...prepared,
      releases: planned,
      generated: generatedByRelease,
      secretNotes: [...(prepared.secretNotes ?? []), ...inUseNotes(missing)],
    },
    final: {...prepared, releases: finalReleases, generated: generatedByRelease},
    missing,
  }
}

function inUseNotes(missing: readonly SuppliedSecret[]): readonly string[] {
  const used = missing.filter(({isInUse}) => isInUse).map(({namespace, name}) => `${namespace}/${name}`)
  if (used.length === 0) return []
  const names = [...new Set(used)].join(', ')
  return [
    `passwords and keys in use that kk does not keep are taken from helm's records, and a deploy keeps them: ${names}`,
  ]
}

export interface PlacedValue {
  readonly path: readonly string[]
  readonly value: unknown
}

/**
 * Returns the layers of releases with the secrets that they need, for callers that only inspect renders. A
 * secret that is not stored yet has a deterministic placeholder.
 */
export function layersWithSecrets(
  releases: ReadonlyMap<ReleaseId, Pick<PreparedRelease, 'chart' | 'layers'>>,
  {needs, cluster, store}: SecretSources,
): ReadonlyMap<ReleaseId, readonly Layer[]> {
  const standIns = new Map<string, string>()
  const standIn = (kind: SecretNeed['kind'], name: string) => {
    const cached = standIns.get(name) ?? placeholderSecret(kind, name)
    standIns.set(name, cached)
    return cached
  }
  return new Map(
    [...releases].map(([release, {chart, layers}]) => {
      const namespace = releaseNamespace(release)
      const needed = needs.get(release) ?? []
      const supplied = ({name, kind}: SecretNeed) =>
        (cluster.get(namespace)?.get(name) ?? store.get(namespace)?.get(name))?.value ??
        standIn(kind, `${namespace}/${name}`)
      const placed = needed.map((need) => {
        const other = needed.find(({name}) => name === need.derivedWith)
        const value = supplied(need)
        return {path: need.path, value: need.derive?.(value, other ? supplied(other) : '') ?? value}
      })
      return [release, placed.length === 0 ? layers : addSystemLayer(chart, layers, placed)]
    }),
  )
}

function withLayer(prepared: PreparedRelease, secrets: readonly PlacedValue[]): PreparedRelease {
  const layers = addSystemLayer(prepared.chart, prepared.layers, secrets)
  return {...prepared, layers, desired: {...prepared.desired, layers: layerDigests(layers)}}
}

/** Returns the layers with one more `system` layer below those of the environment. */
export function addSystemLayer(
  chart: PreparedRelease['chart'],
  layers: readonly Layer[],
  secrets: readonly PlacedValue[],
  source = `generated secrets of ${chart.name}`,
): readonly Layer[] {
  const layer: Layer = {
    name: 'system',
    source,
    values: mergeValues(...secrets.map(({path, value}) => nested(path, value))),
  }
  const above = layers.findIndex(({name}) => name !== 'features' && name !== 'system')
  return layers.toSpliced(above < 0 ? layers.length : above, 0, layer)
}

function nested([key, ...rest]: readonly string[], value: unknown): Values {
  return {[key!]: rest.length === 0 ? value : nested(rest, value)}
}
