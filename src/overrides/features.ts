import {readdir} from 'node:fs/promises'
import {join} from 'node:path'
import {KkError} from '../errors.ts'
import type {Layer} from './layer.ts'
import {readValuesFile} from './values-file.ts'

/** The most features that can be combined: n of them make 2^n - 1 file names. */
const MOST_FEATURES = 12

/**
 * Returns the files that features can have, from the weakest to the strongest, as openstack-helm's get-values-overrides
 * orders them (its shell script and its Go plugin agree): every combination in the order of the features, counted in
 * binary with the first feature as the highest digit. For `2025.1 ubuntu_noble`: `ubuntu_noble.yaml`, `2025.1.yaml`,
 * `2025.1-ubuntu_noble.yaml`. Throws `KK_ENVIRONMENT` for more features than anybody combines.
 */
export function featureFiles(features: readonly string[]): string[] {
  const unique = [...new Set(features)]
  if (unique.length > MOST_FEATURES) {
    throw new KkError(
      'KK_ENVIRONMENT',
      `kk.features has ${unique.length} entries; at most ${MOST_FEATURES} can be combined`,
      {
        hint: 'put what always goes together into one feature',
      },
    )
  }
  const combinations = Array.from({length: 2 ** unique.length - 1}, (_, index) => index + 1)
  return combinations.map((number) => {
    const chosen = unique.filter((_, place) => number & (1 << (unique.length - 1 - place)))
    return `${chosen.join('-')}.yaml`
  })
}

interface FeatureOptions {
  /** The directory `values_overrides` beside the charts; it need not exist. */
  readonly directory: string
  readonly chart: string
  readonly features: readonly string[]
}

/** Reads the feature files of a chart that exist, `<directory>/<chart>/<file>`, as layers. Throws `KK_YAML`, `KK_FILE`. */
export async function featureLayers({directory, chart, features}: FeatureOptions): Promise<Layer[]> {
  if (features.length === 0) return []
  const folder = join(directory, chart)
  const present = new Set(await filesIn(folder))
  const layers: Layer[] = []
  for (const name of featureFiles(features).filter((file) => present.has(file))) {
    const file = join(folder, name)
    const {values, position} = await readValuesFile(file)
    layers.push({name: 'features', source: file, values, position})
  }
  return layers
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
