import type {StoredRelease} from '../../cluster/cluster.ts'
import {LAYERS} from '../../overrides/layer.ts'
import type {Values} from '../../release.ts'
import type {DesiredRelease} from '../desired.ts'
import {type KkLabels, layersOf, readLabels} from '../labels.ts'
import {type ChangeKind, inOrder} from './change-kind.ts'
import {changedPaths} from './changed-paths.ts'

/** A release as it is to be: what a plan knows of it, and the values that it will be given. */
export interface Wanted {
  readonly desired: DesiredRelease
  readonly values: Values
}

/**
 * What an upgrade changes, compared with each of these revisions: the last one and, where that one failed, also the one
 * that is deployed, for nobody knows which of the two runs. Where kk did not write a revision, its labels say nothing of
 * its chart's files, which then count as changed.
 */
export function changesOf(
  wanted: Wanted,
  previous: readonly Pick<StoredRelease, 'labels' | 'revision' | 'chart' | 'values'>[],
): readonly ChangeKind[] {
  return inOrder(
    previous.flatMap((before) => {
      const labels = readLabels(before.labels)
      const isOurs = labels?.revision === before.revision
      return [
        ...chartChanges(wanted.desired, before.chart, isOurs ? labels : undefined),
        ...valueChanges(wanted, before.values, isOurs ? labels : undefined),
      ]
    }),
  )
}

/** The values that `--set` gave to a revision and nothing gives any more, as paths; none where other values changed, too. */
export function droppedSets(
  {desired, values}: Wanted,
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
  {desired, values}: Wanted,
  before: Values,
  labels: KkLabels | undefined,
): readonly ChangeKind[] {
  const kinds = changedPaths(before, values).map((path) => (isImagePath(path) ? 'image' : 'values'))
  if (kinds.length > 0) return kinds
  const layers = layersOf(desired)
  const isSame = ['flags', ...LAYERS].every((name) => labels?.layers.get(name) === layers.get(name))
  return labels === undefined || isSame ? [] : ['values']
}

/** Maps that hold images and nothing else, in openstack-helm's tree and in most others. */
const IMAGE_MAPS: ReadonlySet<string> = new Set(['images', 'image'])
/** Parts of a reference, wherever they stand. */
const IMAGE_PARTS: ReadonlySet<string> = new Set(['tag', 'repository', 'registry', 'digest'])
/** In those maps, but no part of a reference. */
const NO_IMAGE: ReadonlySet<string> = new Set(['pull_policy', 'pullPolicy', 'pullSecrets', 'local_registry'])
/** Places of openstack-helm's where `image` is the service or a file: `endpoints.image`, `bootstrap.structured.images`. */
const OTHER_PLACES: ReadonlySet<string> = new Set(['endpoints', 'conf', 'bootstrap', 'secrets', 'network'])

/** Whether a value at this path decides which image runs, as far as its names tell. */
function isImagePath(path: readonly string[]): boolean {
  const [place = ''] = path[0] === 'global' ? path.slice(1) : path
  if (OTHER_PLACES.has(place) || path.some((key) => NO_IMAGE.has(key))) return false
  return path.some((key) => IMAGE_MAPS.has(key)) || IMAGE_PARTS.has(path.at(-1) ?? '')
}
