import {once} from '../../base/once.ts'
import {textAt} from '../../base/values.ts'
import type {Layer} from '../../overrides/layer.ts'
import {mergedValues} from '../../overrides/layers.ts'
import type {Plugin, SecretNeed} from '../../overrides/system/plugin.ts'
import {layerDigests} from '../../plan/digest.ts'
import type {Prepared, PreparedRelease} from '../../prepare/prepare.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'
import {isStated, isSupplied} from './secret-needs.ts'
import {addSystemLayer, type PlacedValue} from './supply-secrets.ts'

const ACCOUNT = /^(?:identity|oslo_cache|oslo_db|oslo_messaging)\./

interface Layered {
  readonly chart: PreparedRelease['chart']
  readonly layers: readonly Layer[]
}

type Sharing<Release> = Pick<Prepared, 'environment' | 'plugins'> & {
  readonly releases: ReadonlyMap<ReleaseId, Release>
}

/** The password or key of an account, as a layer states it. */
interface Statement {
  readonly value: string
  /** The line or the layer that states it, for display. */
  readonly place: string
}

/**
 * Returns the environment with each stated password or key added to all releases of the account that state
 * none.
 */
export async function withSharedSecrets(prepared: Prepared): Promise<Prepared> {
  const {layers, notes} = await sharedSecrets(prepared)
  if (layers.size === 0 && notes.length === 0) return prepared
  const releases = [...prepared.releases].map(([release, each]): [ReleaseId, PreparedRelease] => {
    const laid = layers.get(release)
    if (!laid) return [release, each]
    return [release, {...each, layers: laid, desired: {...each.desired, layers: layerDigests(laid)}}]
  })
  return {...prepared, releases: new Map(releases), secretNotes: notes}
}

/** Returns the changed layers of releases, and notes on accounts that are stated with two values. */
export async function sharedSecrets<Release extends Layered>({
  environment,
  releases,
  plugins,
}: Sharing<Release>): Promise<{
  readonly layers: ReadonlyMap<ReleaseId, readonly Layer[]>
  readonly notes: readonly string[]
}> {
  const needsByRelease = new Map<ReleaseId, readonly SecretNeed[]>()
  const statementsByAccount = new Map<string, readonly Statement[]>()
  for (const [release, {chart, layers}] of releases) {
    const plugin = await plugins.find(chart)
    const secrets = plugin ? sharedNeeds(plugin) : []
    needsByRelease.set(release, secrets)
    const statedHere = statements(layers.filter(({name}) => name !== 'features' && name !== 'system'))
    // `global` of the environment applies to all releases, and kk's own charts read it.
    const statedForAll = statements(layers.filter(({name}) => name === 'global'))
    for (const {name, path} of secrets) {
      const key = accountKey(release, name)
      const statements = statementsByAccount.get(key) ?? statedForAll(globalPath(name))
      const all = [...statements, ...statedHere(path)]
      if (all.length > 0) statementsByAccount.set(key, all)
    }
  }
  const sharedLayers = [...releases].flatMap(
    ([release, {chart, layers}]): [ReleaseId, readonly Layer[]][] => {
      const values = mergedValues(layers)
      const lacking = needsByRelease.get(release)!.filter(({path}) => !isStated(values, path))
      const placed = lacking.flatMap(({name, path}): PlacedValue[] => {
        const [first] = statementsByAccount.get(accountKey(release, name)) ?? []
        return first && !pathsOfValue(path).some((each) => isStated(values, each))
          ? [{path, value: first.value}]
          : []
      })
      if (placed.length === 0 || !isSupplied(environment, release)) return []
      return [
        [release, addSystemLayer(chart, layers, placed, `what is stated for accounts of ${chart.name}`)],
      ]
    },
  )
  return {
    layers: new Map(sharedLayers),
    notes: [...statementsByAccount].flatMap(([key, each]) => contradiction(key, each)),
  }
}

/** Returns the secrets that releases share; an external plugin shares only the accounts of servers. */
function sharedNeeds({file, secrets}: Plugin): readonly SecretNeed[] {
  return file === undefined ? secrets : secrets.filter(({name}) => ACCOUNT.test(name))
}

function accountKey(release: ReleaseId, name: string): string {
  return `${releaseNamespace(release)}/${name}`
}

/**
 * Returns the paths of a value by precedence: a path below `global` is also read, first, at the top level.
 */
function pathsOfValue(path: readonly string[]): readonly (readonly string[])[] {
  return path[0] === 'global' ? [path.slice(1), path] : [path]
}

function globalPath(name: string): readonly string[] {
  const [endpoint = '', ...rest] = name.split('.')
  return ['global', 'endpoints', endpoint, 'auth', ...rest]
}

/** Returns a function that returns the value that these layers state at a path, or none. */
function statements(layers: readonly Layer[]): (path: readonly string[]) => readonly Statement[] {
  const merged = once(() => mergedValues(layers))
  return (path) => {
    for (const place of pathsOfValue(path)) {
      const value = textAt(merged(), place)
      const layer = layers.findLast(({values}) => textAt(values, place) !== undefined)
      if (value === undefined || !layer) continue
      const at = layer.position?.(place)
      const source = layer.sourceOf?.(place) ?? layer.source
      return [{value, place: at ? `${at.file}:${at.line}` : source}]
    }
    return []
  }
}

function contradiction(key: string, statements: readonly Statement[]): readonly string[] {
  const [first, ...rest] = statements
  const other = rest.find(({value}) => value !== first?.value)
  if (!first || !other) return []
  return [
    `${key} has two values, at ${first.place} and at ${other.place}: releases without their own value get the first; state it only once`,
  ]
}
