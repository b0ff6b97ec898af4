import {isMap, type Values} from '../../base/values.ts'
import type {StoredRelease} from '../../kubernetes/records/release-record.ts'
import {LAYERS} from '../../overrides/layer.ts'
import type {DesiredRelease} from '../desired.ts'
import {type KkLabels, layersOf, readLabels} from '../labels.ts'
import {
  isOtherRelease,
  type OpenStackRelease,
  openstackRelease,
  releaseOfImage,
} from '../versions/openstack-release.ts'
import {type ChangeKind, sortedChanges} from './change-kind.ts'
import {changedPaths} from './changed-paths.ts'

/** A desired release: its inputs as the plan has them, and the values that it will get. */
export interface DesiredValues {
  readonly desired: DesiredRelease
  readonly values: Values
}

/**
 * Returns the changes that an upgrade makes, compared with each of the given revisions: the last one and, if
 * that one failed, also the deployed one, because it is unknown which of the two runs. If kk did not write a
 * revision, its labels do not describe the files of its chart, which then count as changed.
 */
export function changesOf(
  wanted: DesiredValues,
  previous: readonly Pick<StoredRelease, 'labels' | 'revision' | 'chart' | 'values'>[],
): readonly ChangeKind[] {
  return sortedChanges(
    previous.flatMap((before) => {
      const labels = readLabels(before.labels)
      const isOurs = labels?.revision === before.revision
      return [
        ...chartChanges(wanted.desired, before.chart, isOurs ? labels : undefined),
        ...valueChanges(wanted, before, isOurs ? labels : undefined),
      ]
    }),
  )
}

/**
 * Returns the paths that `--set` set in a revision and no layer sets now; none if other values changed, too.
 */
export function droppedSets(
  {desired, values}: DesiredValues,
  before: Pick<StoredRelease, 'labels' | 'values'>,
): readonly string[] {
  const [wanted, had] = [layersOf(desired), readLabels(before.labels)?.layers]
  const differing = LAYERS.filter((layer) => had?.get(layer) !== wanted.get(layer))
  if (differing.join() !== 'set' || wanted.has('set')) return []
  return changedPaths(before.values, values).map((path) => path.join('.'))
}

function chartChanges(
  {chart, ...desired}: DesiredRelease,
  before: StoredRelease['chart'],
  labels: KkLabels | undefined,
): readonly ChangeKind[] {
  const changes: ChangeKind[] = []
  if (chart.name !== before.name || chart.version !== before.version) changes.push('chart-version')
  if (chart.appVersion !== before.appVersion) changes.push('app-version')
  const isSame = labels?.layers.get('chart') === layersOf({chart, ...desired}).get('chart')
  return changes.length > 0 || isSame ? changes : ['chart-content']
}

function valueChanges(
  {desired, values}: DesiredValues,
  before: Pick<StoredRelease, 'values' | 'chart'>,
  labels: KkLabels | undefined,
): readonly ChangeKind[] {
  const after = {values, chart: desired.chart}
  const kinds = changedPaths(before.values, values).map((path) => {
    if (!isImagePath(path)) return 'values'
    return isOtherRelease(releaseAt(path, before), releaseAt(path, after)) ? 'openstack-release' : 'image'
  })
  if (kinds.length > 0) return kinds
  const layers = layersOf(desired)
  const isSame = ['flags', ...LAYERS].every((name) => labels?.layers.get(name) === layers.get(name))
  return labels === undefined || isSame ? [] : ['values']
}

/**
 * Returns the OpenStack release that a value names; otherwise the release of the chart, whose images are the
 * default.
 */
function releaseAt(
  path: readonly string[],
  {values, chart}: Pick<StoredRelease, 'values'> & {readonly chart: {readonly appVersion: string}},
): OpenStackRelease | undefined {
  const value = path.reduce<unknown>((at, key) => (isMap(at) ? at[key] : undefined), values)
  const named = typeof value === 'string' ? (releaseOfImage(value) ?? openstackRelease(value)) : undefined
  return named ?? openstackRelease(chart.appVersion)
}

/** The names of maps that hold images only, in openstack-helm's values and in most others. */
const IMAGE_MAPS: ReadonlySet<string> = new Set(['images', 'image'])
/** The keys of the parts of an image reference, at any level. */
const IMAGE_PARTS: ReadonlySet<string> = new Set(['tag', 'repository', 'registry', 'digest'])
/** The keys in those maps that are not part of an image reference. */
const NO_IMAGE: ReadonlySet<string> = new Set(['pull_policy', 'pullPolicy', 'pullSecrets', 'local_registry'])
/**
 * The sections of openstack-helm's values where `image` is the service or a file, as in `endpoints.image`.
 */
const OTHER_PLACES: ReadonlySet<string> = new Set(['endpoints', 'conf', 'bootstrap', 'secrets', 'network'])

/** Returns true if a value at this path decides which image runs, as far as its keys indicate. */
function isImagePath(path: readonly string[]): boolean {
  const [section = ''] = path[0] === 'global' ? path.slice(1) : path
  if (OTHER_PLACES.has(section) || path.some((key) => NO_IMAGE.has(key))) return false
  return path.some((key) => IMAGE_MAPS.has(key)) || IMAGE_PARTS.has(path.at(-1) ?? '')
}
