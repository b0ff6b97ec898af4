import {KkError} from '../base/errors.ts'
import type {Values} from '../base/values.ts'
import type {Helm, ReleaseCall} from '../helm/helm.ts'
import {BrokenSchema} from '../helm/schema-problems.ts'
import {computedValues} from '../overrides/computed.ts'
import {defaultLayers, type ExplainedKey, explain} from '../overrides/explain.ts'
import type {Layer} from '../overrides/layer.ts'
import {type HistoryOf, withAuthors} from '../overrides/layers-of-place.ts'
import {pathsToMask} from '../overrides/secret-values.ts'
import {type ChartLayers, positioned} from '../prepare/positioned-problems.ts'
import {namedRelease, type Prepared} from '../prepare/prepare.ts'
import {vendor} from '../prepare/rendering/vendored.ts'
import {type ReleaseId, releaseNamespace} from '../release.ts'
import {maskedKey} from './overrides/explain-overrides.ts'
import type {OverrideBase} from './overrides/override-base.ts'

export interface ExplainOptions {
  readonly release: string
  /** Only this key and what is below it: `pod.replicas`; `\.` is a dot inside a key. */
  readonly key?: string
  /** Omit keys that only the defaults of the chart set. */
  readonly overridden?: boolean
  readonly showSecrets?: boolean
  /** Returns the history of user overrides, to show their authors; without it no authors are shown. */
  readonly historyOf?: HistoryOf | undefined
  /** Returns the paths of secrets in the values of a chart; defaults to none. */
  readonly secretPaths?: OverrideBase['secretPaths']
}

export interface ExplainedValues {
  readonly release: ReleaseId
  readonly keys: readonly ExplainedKey[]
  /** Helm's error for values that break the schema of the chart. */
  readonly broken?: KkError
}

/**
 * Returns, for every key of a release's final values, the layer that won and those that lost, without the
 * copies of `global` that Helm passes to subcharts. Secrets are masked unless `showSecrets`. Values that
 * break the schema are also explained. Throws `KK_UNKNOWN_RELEASE`, and `KK_USAGE` for a key that does not
 * exist.
 */
export async function explainValues(
  prepared: Prepared,
  helm: Helm,
  {release: name, key, overridden = false, showSecrets = false, historyOf, secretPaths}: ExplainOptions,
): Promise<ExplainedValues> {
  const release = namedRelease(prepared, name)
  const preparedRelease = prepared.releases.get(release)
  if (!preparedRelease) {
    throw new KkError('KK_UNKNOWN_RELEASE', `${release} belongs to another environment`, {
      hint: 'explain it with the environment that owns it',
    })
  }
  const vendored = await vendor(prepared, [release])
  try {
    const call = vendored.call(release)
    const [final, defaults, layers, paths] = await Promise.all([
      finalValues(helm, call, preparedRelease),
      defaultLayers(call.chart, preparedRelease.chart.origin),
      withUserAuthors(preparedRelease.layers, () =>
        historyOf?.(preparedRelease.chart.name, releaseNamespace(release)),
      ),
      secretPaths?.(preparedRelease.chart) ?? [],
    ])
    const all = explain([...defaults.layers, ...layers], final.values).filter(
      ({path}) => !isHandedDown(path, defaults.subcharts),
    )
    const keys = wanted(all, key).filter((each) => !overridden || isOverridden(each))
    const places = pathsToMask(layers, paths)
    return {
      release,
      keys: showSecrets ? keys : keys.map((key) => maskedKey(key, places)),
      ...(final.broken && {broken: final.broken}),
    }
  } finally {
    await vendored.remove()
  }
}

interface FinalValues {
  readonly values: Values
  readonly broken?: KkError
}

async function finalValues(helm: Helm, call: ReleaseCall, chartLayers: ChartLayers): Promise<FinalValues> {
  try {
    return {values: await computedValues(helm, call)}
  } catch (error) {
    if (!(error instanceof BrokenSchema)) throw error
    const values = await computedValues(helm, call, {skipSchema: true})
    return {values, broken: await positioned(error, chartLayers)}
  }
}

async function withUserAuthors(
  layers: readonly Layer[],
  read: () => ReturnType<HistoryOf> | undefined,
): Promise<readonly Layer[]> {
  const isUsers = ({name}: Layer) => name === 'user'
  if (!layers.some(isUsers)) return layers
  const history = (await read()) ?? []
  return layers.map((layer) => (isUsers(layer) ? withAuthors(layer, history) : layer))
}

function isHandedDown(path: readonly string[], subcharts: readonly (readonly string[])[]): boolean {
  return subcharts.some(
    (subchart) => path[subchart.length] === 'global' && subchart.every((name, index) => path[index] === name),
  )
}

function wanted(keys: readonly ExplainedKey[], key: string | undefined): readonly ExplainedKey[] {
  if (key === undefined) return keys
  const prefix = keyPath(key)
  const below = keys.filter(
    ({path}) =>
      prefix.every((name, index) => path[index] === name) ||
      // A list or a null is explained as a whole.
      path.every((name, index) => prefix[index] === name),
  )
  if (below.length > 0) return below
  throw new KkError('KK_USAGE', `no layer of values has the key ${key}`, {
    hint: 'omit it to see all keys',
  })
}

/** Splits a key at its dots: `a.b\.c` is `['a', 'b.c']`. */
function keyPath(key: string): string[] {
  return Array.from(key.matchAll(/((?:\\.|[^.\\])+)(?:\.|$)/g), ([, name]) =>
    name!.replaceAll(/\\(.)/g, '$1'),
  )
}

function isOverridden({winner, lost}: ExplainedKey): boolean {
  return [winner, ...lost].some((each) => each !== undefined && each.layer !== 'defaults')
}
