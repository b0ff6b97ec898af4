import type {SecretsByName} from '../../kubernetes/records/secret-store.ts'
import type {SecretNeed} from '../../overrides/system/plugin.ts'
import type {Plugins} from '../../overrides/system/plugins.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'
import {secretNeeds} from './secret-needs.ts'
import {withSharedSecrets} from './shared-secrets.ts'

export type SecretPlace = 'cluster' | 'store'

/** A kept secret without its value. */
export interface ListedSecret {
  readonly namespace: string
  readonly name: string
  /** The kind; undefined for a name that no plugin declares, which kk did not create. */
  readonly kind: string | undefined
  readonly keptIn: SecretPlace
  /** The time of its creation in ISO 8601; undefined if kk did not create it. */
  readonly since: string | undefined
  /** The charts that read it, deployed or not. */
  readonly charts: readonly string[]
  /** The releases that get it; omitted without an environment. */
  readonly releases?: readonly ReleaseId[]
}

/** The releases that get a secret from kk, with their charts, by namespace and name. */
export type SecretReaders = ReadonlyMap<
  string,
  readonly {readonly release: ReleaseId; readonly chart: string}[]
>

/** Returns the releases of an environment that get each secret. */
export async function secretReaders(prepared: Prepared): Promise<SecretReaders> {
  const readers = new Map<string, {readonly release: ReleaseId; readonly chart: string}[]>()
  for (const [release, needs] of await secretNeeds(await withSharedSecrets(prepared))) {
    const chart = prepared.releases.get(release)!.chart.name
    for (const name of new Set(needs.map((need) => need.name))) {
      const key = secretKey(releaseNamespace(release), name)
      readers.set(key, [...(readers.get(key) ?? []), {release, chart}])
    }
  }
  return readers
}

interface SecretUse {
  readonly kind: SecretNeed['kind']
  readonly charts: readonly string[]
  /**
   * The manual steps of a rotation, stated by the chart that creates the account or holds the encrypted data.
   */
  readonly byHand: SecretNeed['byHand']
}

/** Every secret that plugins declare, with the charts that declare it. */
export type SecretUses = ReadonlyMap<string, SecretUse>

export async function secretUses(plugins: Plugins): Promise<SecretUses> {
  const uses = new Map<string, SecretUse>()
  for (const chart of plugins.charts) {
    for (const {name, kind, byHand} of (await plugins.find(chart))?.secrets ?? []) {
      const before = uses.get(name)
      const charts = before?.charts ?? []
      uses.set(name, {
        kind,
        charts: charts.includes(chart) ? charts : [...charts, chart],
        byHand: byHand ?? before?.byHand,
      })
    }
  }
  return uses
}

/** Returns the kept secrets without their values, by namespace, then name. */
export function listSecrets(
  stored: ReadonlyMap<string, SecretsByName>,
  keptIn: SecretPlace,
  uses: SecretUses,
  readers?: SecretReaders,
): readonly ListedSecret[] {
  const rows = [...stored].flatMap(([namespace, secrets]) =>
    [...secrets].map(
      ([name, {kind, since}]): ListedSecret => ({
        namespace,
        name,
        kind: kind ?? uses.get(name)?.kind,
        keptIn,
        since,
        ...readersOf(secretKey(namespace, name), readers, uses.get(name)?.charts),
      }),
    ),
  )
  const key = ({namespace, name}: ListedSecret) => secretKey(namespace, name)
  return rows.sort((a, b) => (key(a) < key(b) ? -1 : 1))
}

function readersOf(
  key: string,
  readers: SecretReaders | undefined,
  charts: readonly string[] = [],
): Pick<ListedSecret, 'charts' | 'releases'> {
  if (!readers) return {charts}
  const readersOfSecret = readers.get(key) ?? []
  return {
    charts: [...new Set(readersOfSecret.map(({chart}) => chart))].sort(),
    releases: readersOfSecret.map(({release}) => release).sort(),
  }
}

function secretKey(namespace: string, name: string): string {
  return `${namespace}\0${name}`
}
