import {existsSync, readFileSync} from 'node:fs'
import {basename, join} from 'node:path'
import {once} from '../base/once.ts'
import {suggest} from '../base/suggest.ts'
import {underscored} from '../base/underscored.ts'
import {isMap, type Values} from '../base/values.ts'
import type {Library} from '../charts/chart.ts'
import type {StoredRelease} from '../kubernetes/records/release-record.ts'
import type {Layer} from '../overrides/layer.ts'
import {mergedValues} from '../overrides/layers.ts'
import {wantsInternalTls} from '../overrides/tls/certificate-need.ts'
import {type Uses, usersOf} from '../plan/uses/uses.ts'
import {type ReleaseId, releaseName} from '../release.ts'
import {DEPLOYED_SERVERS, dottedHost} from './gathering/outside-servers.ts'
import type {Prepared, PreparedRelease} from './prepare.ts'
import {ingressProblems} from './settings/ingress-problems.ts'
import type {SettingProblem} from './settings/setting-problem.ts'

type Settings = Pick<Prepared, 'environment' | 'graph' | 'releases' | 'plugins'>

/** Returns notes on settings that are accepted but do not have the apparent effect. */
export function settingNotes(prepared: Settings): readonly string[] {
  const problems = [...nameProblems(prepared), ...ingressProblems(prepared)]
  const names = new Set(problems.map(({what}) => what))
  return [...names, ...featureNotes(prepared), ...otherRegistryNotes(prepared), ...externalNotes(prepared)]
}

const WRITTEN: ReadonlySet<string> = new Set(['global', 'section', 'user', 'values', 'set'])

/** Returns true for a layer that users write for one environment. */
export function isWritten({name}: Pick<Layer, 'name'>): boolean {
  return WRITTEN.has(name)
}

/** Returns a map in the values, and the map below `global` that it overrides. */
function mapsAt(values: Values, ...path: readonly string[]): readonly Values[] {
  const at = (from: unknown) =>
    path.reduce<unknown>((inner, key) => (isMap(inner) ? inner[key] : undefined), from)
  return [at(values), at(values.global)].filter(isMap)
}

/**
 * Returns a warning for each endpoint and each tag of an image that no chart here has, but whose name is
 * close to one that some chart has. Other unknown names may belong to charts that the file is also used with.
 */
export function nameProblems({
  releases,
  plugins,
}: Pick<Settings, 'releases' | 'plugins'>): readonly SettingProblem[] {
  const all = [...releases.values()]
  // Charts are read only if a layer has such names.
  const endpoints = once(
    () => new Set(all.flatMap(({chart}) => chartEndpoints(chart, plugins.dialectChart(chart)))),
  )
  const tags = once(
    () => new Set(all.flatMap(({chart}) => imageTags(chart.name, plugins.dialectChart(chart)))),
  )
  return [...releases].flatMap(([release, {layers}]) =>
    layers
      .filter(isWritten)
      .flatMap(({source, values}) => [
        ...slips(source, 'endpoints', mapsAt(values, 'endpoints'), endpoints),
        ...slips(source, 'images.tags', mapsAt(values, 'images', 'tags'), tags),
      ])
      .map((what) => ({release, level: 'warning', subject: `${releaseName(release)}: no effect`, what})),
  )
}

/** Endpoints of shared services: names such as `oslo_db_api` are further databases on the same server. */
const SHARED = /^(?:oslo_db|oslo_messaging|oslo_cache|identity)(?:_\w+)?$/

function slips(
  source: string,
  where: string,
  settings: readonly Values[],
  knownNames: () => ReadonlySet<string>,
): readonly string[] {
  return settings.flatMap(Object.keys).flatMap((name) => {
    if (SHARED.test(name) || knownNames().has(underscored(name))) return []
    const close = suggest(underscored(name), knownNames())
    return close === undefined
      ? []
      : [
          `${source}: no chart of this environment has ${where}.${name}, so it has no effect: did you mean ${close}?`,
        ]
  })
}

type Spoken = ReturnType<Prepared['plugins']['dialectChart']>

/** Returns the endpoints of a chart: its own, and for kk's charts those of the library's catalogue. */
function chartEndpoints({libraries}: Pick<Library, 'libraries'>, spoken: Spoken): readonly string[] {
  return [
    ...Object.keys(spoken.endpoints),
    ...mapKeys(spoken.at('serves')),
    ...libraries.flatMap(catalogueEndpoints),
  ]
}

function mapKeys(value: unknown): readonly string[] {
  return isMap(value) ? Object.keys(value) : []
}

function catalogueEndpoints({directory}: Library): readonly string[] {
  const file = join(directory, 'templates/context/_catalogue.tpl')
  if (!existsSync(file)) return []
  return [...readFileSync(file, 'utf8').matchAll(/^(\w+):/gm)].map(([, name]) => name!)
}

/** Returns the keys of `images.tags` that a chart reads, from its defaults or its containers and images. */
export function imageTags(name: string, {dialect, at}: Spoken): readonly string[] {
  const images = at('images')
  const tags = mapKeys(isMap(images) ? images.tags : undefined)
  if (dialect !== 'kk') return tags.map(underscored)
  const kinds = ['components', 'jobs', 'cronjobs', 'tests'].map(at)
  const units = kinds.flatMap(mapKeys).map((unit) => `${name}_${unit}`)
  return [...tags, name, ...units, ...imagesIn(kinds), String(at('image') ?? name)].map(underscored)
}

function imagesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(imagesIn)
  if (!isMap(value)) return []
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'image' && typeof inner === 'string' ? [inner] : imagesIn(inner),
  )
}

/** Returns a note for two features that set the same images of a chart, if the chart has no file for both. */
function featureNotes({environment: {features}, releases}: Settings): readonly string[] {
  const conflicts = [...releases].flatMap(([release, {layers}]) => {
    const files = layers.filter(({name}) => name === 'features')
    const single = files.filter(({source}) => features.includes(basename(source, '.yaml')))
    return single.flatMap((one, at) =>
      single
        .slice(at + 1)
        .filter((other) => !files.some((file) => isOfBoth(file, one, other)))
        .flatMap((other) => {
          const paths = differing(imageValues(one), imageValues(other))
          return paths.length === 0 ? [] : [{release, one, other, paths}]
        }),
    )
  })
  const byPair = Map.groupBy(conflicts, ({one, other}) => `${featureName(one)} and ${featureName(other)}`)
  return [...byPair].map(([pair, same]) => {
    const names = same.map(({release}) => releaseName(release)).join(', ')
    const paths = [...new Set(same.flatMap((each) => each.paths))].join(', ')
    return `kk.features: ${pair} both set ${paths} of ${names}: ${featureName(same[0]!.other)} takes effect, because it is named first`
  })
}

/**
 * Returns a note for each feature that sets the registry of some releases only: the others keep theirs, which
 * may not be reachable.
 */
function otherRegistryNotes({environment: {features}, releases}: Settings): readonly string[] {
  return features.flatMap((feature) => {
    const filesOf = ({layers}: PreparedRelease) =>
      layers.filter((layer) => layer.name === 'features' && featureName(layer).split('-').includes(feature))
    const all = [...releases]
    const others = all.filter(([, prepared]) => filesOf(prepared).length === 0)
    const setsRegistry = all.some(([, prepared]) =>
      filesOf(prepared).some((file) => imageValues(file).has('images.registry')),
    )
    if (!setsRegistry || others.length === 0) return []
    const names = others.map(([release]) => releaseName(release)).join(', ')
    return [
      `kk.features: ${feature} sets the registry of images, but has no file for ${names}: they keep the registry of their other values`,
    ]
  })
}

function featureName({source}: Pick<Layer, 'source'>): string {
  return basename(source, '.yaml')
}

function isOfBoth(file: Layer, one: Layer, other: Layer): boolean {
  const parts = featureName(file).split('-')
  return file !== one && file !== other && [one, other].every((each) => parts.includes(featureName(each)))
}

function imageValues({values}: Layer): ReadonlyMap<string, unknown> {
  return new Map(mapsAt(values, 'images').flatMap((images) => leaves('images', images)))
}

function leaves(path: string, value: unknown): readonly (readonly [string, unknown])[] {
  if (!isMap(value)) return [[path, value]]
  return Object.entries(value).flatMap(([key, inner]) => leaves(`${path}.${key}`, inner))
}

function differing(
  one: ReadonlyMap<string, unknown>,
  other: ReadonlyMap<string, unknown>,
): readonly string[] {
  return [...one].flatMap(([path, value]) => (other.has(path) && other.get(path) !== value ? [path] : []))
}

/**
 * Returns a note for each server that is deployed although the environment names one outside of the cluster.
 */
function externalNotes({releases, graph}: Settings): readonly string[] {
  const all = [...releases.values()].flatMap(({layers}) => layers.filter(isWritten))
  return DEPLOYED_SERVERS.flatMap(([type, chart]) => {
    const brought = [...releases].find(([, each]) => each.chart.name === chart && !each.desired.stated)
    const host = all.flatMap(({values}) =>
      mapsAt(values, 'endpoints', type).flatMap((each) => dottedHost(each) ?? []),
    )[0]
    if (!brought || host === undefined) return []
    const [release] = brought
    const users = graph.releases.filter((each) =>
      graph.requirements.get(each)!.some(({to}) => to === release),
    )
    const lines = users.map((each) => `${releaseName(each)}: {without: [${releaseName(release)}]}`).join(', ')
    return [
      `${releaseName(release)} is added, although endpoints.${type} names ${host}: to omit it, kk.releases: {${lines}}`,
    ]
  })
}

interface TlsChange {
  readonly releases: ReadonlyMap<ReleaseId, PreparedRelease>
  /** The revisions that each upgrade is compared with. */
  readonly previous: ReadonlyMap<ReleaseId, readonly StoredRelease[]>
  readonly uses: Pick<Uses, 'graph'>
}

/**
 * Returns a note if a plan enables `tls.internal` for running releases: which releases then refuse
 * unencrypted connections, and which of their clients still use them.
 */
export function tlsNotes({releases, previous, uses}: TlsChange): readonly string[] {
  const isOn = (release: ReleaseId) => {
    const prepared = releases.get(release)
    return prepared !== undefined && wantsInternalTls(mergedValues(prepared.layers))
  }
  const turned = [...previous]
    .filter(([release, [last]]) => last && isOn(release) && !wantsInternalTls(last.values))
    .map(([release]) => release)
  if (turned.length === 0) return []
  const names = turned.map(releaseName).join(', ')
  const clients = usersOf(uses, turned).filter((release) => !isOn(release))
  return [
    `tls.internal is switched on for running releases: after its upgrade, each of ${names} refuses clients that are not upgraded yet`,
    ...(clients.length === 0
      ? []
      : [`clients of these that this plan gives no TLS, and that break: ${clients.join(', ')}`]),
  ]
}
