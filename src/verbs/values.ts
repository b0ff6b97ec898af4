import type {Helm} from '../helm/helm.ts'
import {computedValues} from '../overrides/computed.ts'
import {mergedValues} from '../overrides/layers.ts'
import type {ReleaseId, Values} from '../release.ts'
import {namedRelease, type Prepared} from './preparation/prepare.ts'
import {vendor} from './preparation/vendored.ts'

/** The values of one release, and the layers that they come from. */
export interface ShownValues {
  readonly release: ReleaseId
  readonly layers: readonly string[]
  readonly values: Values
}

/** What helm will get; with `helm`, what the chart's templates will see, as Helm itself computes it. */
export async function showValues(
  prepared: Prepared,
  name: string,
  helm: Helm | undefined,
): Promise<ShownValues> {
  const release = namedRelease(prepared, name)
  const layers = prepared.releases.get(release)?.layers ?? []
  const shown = {release, layers: layers.map((layer) => layer.source)}
  if (!helm) return {...shown, values: mergedValues(layers)}
  const vendored = await vendor(prepared, [release])
  try {
    return {...shown, values: await computedValues(helm, vendored.call(release))}
  } finally {
    await vendored.remove()
  }
}
