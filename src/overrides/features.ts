import {readdir} from 'node:fs/promises'
import {basename, join} from 'node:path'
import {KkError} from '../base/errors.ts'
import type {Chart} from '../charts/chart.ts'
import {featureFolders} from '../charts/feature-files.ts'
import type {Layer} from './layer.ts'
import {readValuesFile} from './values-file.ts'

/** The maximum number of features that can be combined: n of them make 2^n - 1 file names. */
const MAX_FEATURES = 12

/**
 * Returns the possible files of a list of features, from the weakest to the strongest, in the order of
 * openstack-helm's get-values-overrides (its shell script and its Go plugin agree): every combination in the
 * order of the features, counted in binary with the first feature as the highest digit. For `2025.1
 * ubuntu_noble`: `ubuntu_noble.yaml`, `2025.1.yaml`, `2025.1-ubuntu_noble.yaml`. Throws `KK_ENVIRONMENT` for
 * more than `MAX_FEATURES`.
 */
export function featureFiles(features: readonly string[]): string[] {
  const unique = [...new Set(features)]
  if (unique.length > MAX_FEATURES) {
    throw new KkError(
      'KK_ENVIRONMENT',
      `kk.features has ${unique.length} entries; at most ${MAX_FEATURES} can be combined`,
      {hint: 'combine features that always occur together into one'},
    )
  }
  const combinations = Array.from({length: 2 ** unique.length - 1}, (_, index) => index + 1)
  return combinations.map((number) => {
    const chosen = unique.filter((_, place) => number & (1 << (unique.length - 1 - place)))
    return `${chosen.join('-')}.yaml`
  })
}

/** Reads the existing feature files of a chart as layers. Throws `KK_YAML`, `KK_FILE`. */
export async function featureLayers(
  chart: Pick<Chart, 'directory' | 'name'>,
  features: readonly string[],
): Promise<Layer[]> {
  if (features.length === 0) return []
  const places = new Map<string, string>()
  for (const folder of featureFolders(chart).toReversed())
    for (const name of await filesIn(folder)) places.set(name, join(folder, name))
  const layers: Layer[] = []
  for (const name of featureFiles(features)) {
    const file = places.get(name)
    if (file === undefined) continue
    const {values, position} = await readValuesFile(file)
    layers.push({name: 'features', source: file, values, position})
  }
  return layers
}

/**
 * Returns a note for each feature without a file in any chart, by the layers of all releases: it may be
 * misspelled.
 */
export function idleFeatureNotes(features: readonly string[], layers: readonly Layer[]): readonly string[] {
  const used = new Set(layers.filter(({name}) => name === 'features').map(({source}) => basename(source)))
  return [...new Set(features)]
    .filter((feature) => {
      const without = new Set(featureFiles(features.filter((each) => each !== feature)))
      return !featureFiles(features).some((file) => used.has(file) && !without.has(file))
    })
    .map(
      (feature) =>
        `kk.features: no chart of this environment has a file of the feature ${feature} (values_overrides)`,
    )
}

async function filesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    const {code} = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return []
    throw new KkError('KK_FILE', `${folder} cannot be read (${code})`, {
      cause: error,
      hint: 'check its permissions',
    })
  }
}
