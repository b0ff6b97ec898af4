import {relative} from 'node:path'
import {mapParallel} from '../../../base/parallel.ts'
import {isEmpty, isMap, type Values} from '../../../base/values.ts'
import type {Chart} from '../../../charts/chart.ts'
import {spokenChart} from '../../../charts/dialect.ts'
import {libraryDefaults} from '../../../charts/publishing/package-page.ts'
import type {Environment} from '../../../environment/environment.ts'
import type {Helm} from '../../../helm/helm.ts'
import {computedValues} from '../../../overrides/computed.ts'
import {LAYERS, type Layer} from '../../../overrides/layer.ts'
import {mergeValues} from '../../../overrides/merge.ts'
import {KUBE_VERSION} from '../../../prepare/inference/facts-of-releases.ts'
import {throwPlaced} from '../../../prepare/placed-problems.ts'
import type {Prepared, PreparedRelease} from '../../../prepare/prepare.ts'
import {vendor} from '../../../prepare/rendering/vendored.ts'
import {releaseName} from '../../../release.ts'
import {neededImages} from '../needed-images.ts'

/** How an environment is told to use a mirror. */
export interface MirrorSettings {
  /** Keys of the environment file, to be merged into it. */
  readonly settings: Values
  /** Images that charts name elsewhere all the same: no value that kk finds decides them. */
  readonly unplaced: readonly string[]
}

interface SettingsOptions {
  readonly helm: Pick<Helm, 'template'>
  /** Each mirrored image as its charts write it, and as the mirror has it. */
  readonly names: ReadonlyMap<string, string>
  /** The mirror as charts name it, before the name of an image: `registry.example.org/cloud`. */
  readonly registry: string
}

/**
 * Returns the values by which an environment takes its images from a mirror: `images.registry` of kk's charts, and every value
 * that is the whole reference of an image. What they leave out is found by rendering the charts with them.
 */
export async function mirrorSettings(
  prepared: Prepared,
  {helm, names, registry}: SettingsOptions,
): Promise<MirrorSettings> {
  const vendored = await vendor(prepared, prepared.releases.keys(), {anyKubernetes: true})
  const parts = await mapParallel([...prepared.releases], async ([release, {chart}]) => {
    const computed = await computedValues(helm, vendored.call(release), {kubeVersion: KUBE_VERSION})
    const {global, ...section} = redirected(chart, computed, {names, registry})
    return mergeValues(global ? {global} : {}, isEmpty(section) ? {} : {[releaseName(release)]: section})
  })
    .catch((error: unknown) => throwPlaced(error, prepared.releases))
    .finally(vendored.remove)
  const values = mergeValues(...parts)
  const there = new Set(names.values())
  const after = await neededImages(laidOver(prepared, values), helm)
  return {
    settings: {...chartSettings(prepared.environment, registry), ...values},
    unplaced: after.map(({image}) => image).filter((image) => !there.has(image)),
  }
}

/** Returns those values of a chart that name the registry of kk's charts, or a mirrored image, as they are to be. */
function redirected(
  chart: Chart,
  computed: Values,
  {names, registry}: Pick<SettingsOptions, 'names' | 'registry'>,
): Values {
  if (spokenChart(chart).dialect !== 'kk') return changed(computed, (value) => names.get(value))
  // What the library has by default may stand below global, where one word is for all charts.
  const {images} = libraryDefaults(chart)
  return changed(mergeValues({global: {images}}, computed), (value, path) =>
    /^(?:global\.)?images\.registry$/.test(path) ? inMirror(value, registry) : names.get(value),
  )
}

/** Returns the place that a registry has in the mirror, which keeps the paths of images below their host. */
function inMirror(stated: string, registry: string): string {
  return [registry, ...stated.split('/').slice(1)].join('/')
}

/** Returns the texts among values for which there is another, at their places. */
function changed(
  values: Values,
  other: (value: string, path: string) => string | undefined,
  path: readonly string[] = [],
): Values {
  const entries = Object.entries(values).flatMap(([key, value]): readonly (readonly [string, unknown])[] => {
    const at = [...path, key]
    // Helm repeats it below each subchart.
    if (key === 'global' && path.length > 0) return []
    const found = isMap(value)
      ? changed(value, other, at)
      : typeof value === 'string' && value !== ''
        ? other(value, at.join('.'))
        : undefined
    return found === undefined || (isMap(found) && isEmpty(found)) ? [] : [[key, found]]
  })
  return Object.fromEntries(entries)
}

/** Lays settings over an environment as if its file had them. */
function laidOver(prepared: Prepared, {global, ...sections}: Values): Prepared {
  const source = 'the mirror'
  const releases = [...prepared.releases].map(([release, found]) => {
    const own = sections[releaseName(release)] as Values | undefined
    const layers: readonly Layer[] = [
      ...found.layers,
      ...(global === undefined ? [] : [{name: 'global', source, values: {global}} as const]),
      ...(own === undefined ? [] : [{name: 'section', source, values: own} as const]),
    ]
    const inOrder = layers.toSorted((a, b) => LAYERS.indexOf(a.name) - LAYERS.indexOf(b.name))
    return [release, {...found, layers: inOrder} satisfies PreparedRelease] as const
  })
  return {...prepared, releases: new Map(releases)}
}

/** Where the file takes charts from repositories, the mirror takes their place; its directories and kk's own stay. */
function chartSettings({charts, directory}: Environment, registry: string): Values {
  if (!charts.some((source) => 'url' in source)) return {}
  const sources = charts.map((source) => {
    if (source.kind === 'built-in') return source.kind
    if (source.kind === 'directory') return relative(directory, source.path) || '.'
    const {kind: _, url: __, keyring, ...stated} = source
    const oci = `oci://${registry}/charts`
    if (keyring !== undefined) return {oci, ...stated, keyring: relative(directory, keyring)}
    return isEmpty(stated) ? oci : {oci, ...stated}
  })
  const unique = new Map(sources.map((source) => [JSON.stringify(source), source]))
  return {kk: {charts: [...unique.values()]}}
}
