import {dirname, join} from 'node:path'
import type {Chart} from '../../../charts/chart.ts'
import type {Environment} from '../../../environment/environment.ts'
import {featureLayers} from '../../../overrides/features.ts'
import type {Layer} from '../../../overrides/layer.ts'
import {releaseLayers} from '../../../overrides/layers.ts'
import type {SetFlag, ValuesFlag} from '../../../overrides/release-flags.ts'
import {readValuesFile} from '../../../overrides/values-file.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../../release.ts'
import type {LayerOf} from '../../overrides/layers-of-place.ts'

interface LayersOptions {
  readonly environment: Environment
  readonly values: readonly ValuesFlag[]
  readonly sets: readonly SetFlag[]
  readonly system: ((release: ReleaseId) => Promise<Layer | undefined>) | undefined
  readonly user: LayerOf | undefined
  readonly release: ReleaseId
  readonly chart: Chart
}

/** The values of a release in layers, from all who have a say. Rejects with what is wrong with them. */
export async function layersOf({
  environment,
  release,
  chart,
  values,
  sets,
  ...places
}: LayersOptions): Promise<readonly Layer[]> {
  const name = releaseName(release)
  const mine = (flag: {readonly release: string}) => flag.release === name || flag.release === release
  const directory = join(dirname(chart.directory), 'values_overrides')
  const namespace = releaseNamespace(release)
  const [system, user] = await Promise.all([places.system?.(release), places.user?.(chart.name, namespace)])
  return releaseLayers({
    environment,
    release: name,
    features: await featureLayers({directory, chart: chart.name, features: environment.features}),
    ...(system && {system}),
    ...(user && {user}),
    valuesFiles: await Promise.all(
      values.filter(mine).map((flag) => readValuesFile(flag.file, `--values ${flag.release}=${flag.file}`)),
    ),
    sets: sets.filter(mine).map(({expression}) => expression),
  })
}
