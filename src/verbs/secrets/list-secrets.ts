import type {SecretsByName} from '../../cluster/secrets/kept-secret.ts'
import type {SecretNeed} from '../../overrides/system/plugin.ts'
import type {Plugins} from '../../overrides/system/plugins.ts'

export type SecretPlace = 'cluster' | 'store'

/** A kept secret without its value. */
export interface ListedSecret {
  readonly namespace: string
  readonly name: string
  /** Undefined for a name that no plugin knows, which somebody else put there. */
  readonly kind: string | undefined
  readonly keptIn: SecretPlace
  /** ISO 8601; undefined where somebody else put it there. */
  readonly since: string | undefined
  /** The charts that would use it. */
  readonly charts: readonly string[]
}

/** Every kind of secret that a plugin names, with the charts that name it. */
export type SecretUses = ReadonlyMap<
  string,
  {readonly kind: SecretNeed['kind']; readonly charts: readonly string[]}
>

export async function secretUses(plugins: Plugins): Promise<SecretUses> {
  const uses = new Map<string, {readonly kind: SecretNeed['kind']; readonly charts: readonly string[]}>()
  for (const chart of plugins.charts) {
    for (const {name, kind} of (await plugins.find(chart))?.secrets ?? []) {
      const charts = uses.get(name)?.charts ?? []
      uses.set(name, {kind, charts: charts.includes(chart) ? charts : [...charts, chart]})
    }
  }
  return uses
}

/** By namespace, then name. */
export function listSecrets(
  kept: ReadonlyMap<string, SecretsByName>,
  keptIn: SecretPlace,
  uses: SecretUses,
): readonly ListedSecret[] {
  const rows = [...kept].flatMap(([namespace, secrets]) =>
    [...secrets].map(
      ([name, {kind, since}]): ListedSecret => ({
        namespace,
        name,
        kind: kind ?? uses.get(name)?.kind,
        keptIn,
        since,
        charts: uses.get(name)?.charts ?? [],
      }),
    ),
  )
  const key = ({namespace, name}: ListedSecret) => `${namespace}\0${name}`
  return rows.sort((a, b) => (key(a) < key(b) ? -1 : 1))
}
