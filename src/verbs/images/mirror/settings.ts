import {relative} from 'node:path'
import {mergeValues} from '../../../base/merge.ts'
import {mapParallel} from '../../../base/parallel.ts'
import {isEmpty, isMap, type Values} from '../../../base/values.ts'
import type {Chart} from '../../../charts/chart.ts'
import {readDialectChart} from '../../../charts/dialect.ts'
import {libraryDefaults} from '../../../charts/publishing/package-page.ts'
import type {Environment} from '../../../environment/environment.ts'
import type {Helm} from '../../../helm/helm.ts'
import {computedValues} from '../../../overrides/computed.ts'
import {LAYERS, type Layer} from '../../../overrides/layer.ts'
import {KUBE_VERSION} from '../../../prepare/inference/facts-of-releases.ts'
import {throwPositioned} from '../../../prepare/positioned-problems.ts'
import type {Prepared, PreparedRelease} from '../../../prepare/prepare.ts'
import {vendor} from '../../../prepare/rendering/vendored.ts'
import {releaseName} from '../../../release.ts'
import {neededImages} from '../needed-images.ts'

/** The settings with which an environment uses a mirror. */
export interface MirrorSettings {
  /** Keys to merge into the environment file. */
  readonly settings: Values
  /** Images that charts still take from elsewhere: kk finds no value that sets them. */
  readonly unplaced: readonly string[]
}

interface SettingsOptions {
  readonly helm: Pick<Helm, 'template'>
  /** The reference of each mirrored image in charts, and its reference in the mirror. */
  readonly names: ReadonlyMap<string, string>
  /** The prefix of image references in the mirror: `registry.example.org/cloud`. */
  readonly registry: string
}

/**
 * Returns the values with which an environment takes its images from a mirror: `images.registry` of kk's
 * charts, and every value that is a complete image reference. Images that these do not cover are found by
 * rendering the charts with them.
 */
export async function mirrorSettings(
  prepared: Prepared,
  {helm, names, registry}: SettingsOptions,
): Promise<MirrorSettings> {
  const vendored = await vendor(prepared, prepared.releases.keys(), {ignoreKubernetesVersion: true})
  const parts = await mapParallel([...prepared.releases], async ([release, {chart}]) => {
    const computed = await computedValues(helm, vendored.call(release), {kubeVersion: KUBE_VERSION})
    const {global, ...section} = redirected(chart, computed, {names, registry})
    return mergeValues(global ? {global} : {}, isEmpty(section) ? {} : {[releaseName(release)]: section})
  })
    .catch((error: unknown) => throwPositioned(error, prepared.releases))
    .finally(vendored.remove)
  const values = mergeValues(...parts)
  const mirroredNames = new Set(names.values())
  const after = await neededImages(laidOver(prepared, values), helm)
  return {
    settings: {...chartSettings(prepared.environment, registry), ...values},
    unplaced: after.map(({image}) => image).filter((image) => !mirroredNames.has(image)),
  }
}

/** Returns the changed values of a chart that name the registry of kk's charts, or a mirrored image. */
function redirected(
  chart: Chart,
  computed: Values,
  {names, registry}: Pick<SettingsOptions, 'names' | 'registry'>,
): Values {
  if (readDialectChart(chart).dialect !== 'kk') return changed(computed, (value) => names.get(value))
  // Defaults of the library may be set below global, for all charts at once.
  const {images} = libraryDefaults(chart)
  return changed(mergeValues({global: {images}}, computed), (value, path) =>
    /^(?:global\.)?images\.registry$/.test(path) ? inMirror(value, registry) : names.get(value),
  )
}

/** Returns the prefix for a registry in the mirror, which keeps the paths of images below their host. */
function inMirror(prefix: string, registry: string): string {
  return [registry, ...prefix.split('/').slice(1)].join('/')
}

/** Returns the strings in values that `other` replaces, at their paths. */
function changed(
  values: Values,
  other: (value: string, path: string) => string | undefined,
  path: readonly string[] = [],
): Values {
  const entries = Object.entries(values).flatMap(([key, value]): readonly (readonly [string, unknown])[] => {
    const at = [...path, key]
    // Helm copies global into each subchart.
    if (key === 'global' && path.length > 0) return []
    const replacement = isMap(value)
      ? changed(value, other, at)
      : typeof value === 'string' && value !== ''
        ? other(value, at.join('.'))
        : undefined
    return replacement === undefined || (isMap(replacement) && isEmpty(replacement))
      ? []
      : [[key, replacement]]
  })
  return Object.fromEntries(entries)
}

/** Merges settings into an environment as if its file had them. */
function laidOver(prepared: Prepared, {global, ...sections}: Values): Prepared {
  const source = 'the mirror'
  const releases = [...prepared.releases].map(([release, preparedRelease]) => {
    const own = sections[releaseName(release)] as Values | undefined
    const layers: readonly Layer[] = [
      ...preparedRelease.layers,
      ...(global === undefined ? [] : [{name: 'global', source, values: {global}} as const]),
      ...(own === undefined ? [] : [{name: 'section', source, values: own} as const]),
    ]
    const inOrder = layers.toSorted((a, b) => LAYERS.indexOf(a.name) - LAYERS.indexOf(b.name))
    return [release, {...preparedRelease, layers: inOrder} satisfies PreparedRelease] as const
  })
  return {...prepared, releases: new Map(releases)}
}

/** Returns `kk.charts` with repositories replaced by the mirror; directories and kk's own charts stay. */
function chartSettings({charts, directory}: Environment, registry: string): Values {
  if (!charts.some((source) => 'url' in source)) return {}
  const sources = charts.map((source) => {
    if (source.kind === 'built-in') return source.kind
    if (source.kind === 'directory') return relative(directory, source.path) || '.'
    const {kind: _, url: __, keyring, ...settings} = source
    const oci = `oci://${registry}/charts`
    if (keyring !== undefined) return {oci, ...settings, keyring: relative(directory, keyring)}
    return isEmpty(settings) ? oci : {oci, ...settings}
  })
  const unique = new Map(sources.map((source) => [JSON.stringify(source), source]))
  return {kk: {charts: [...unique.values()]}}
}
