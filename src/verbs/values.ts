import type {Values} from '../base/values.ts'
import type {Helm} from '../helm/helm.ts'
import {computedValues} from '../overrides/computed.ts'
import {mergedValues} from '../overrides/layers.ts'
import {pathsToMask} from '../overrides/secret-values.ts'
import {throwPositioned} from '../prepare/positioned-problems.ts'
import {namedRelease, type Prepared} from '../prepare/prepare.ts'
import {vendor} from '../prepare/rendering/vendored.ts'
import {redactValues, redactWhole} from '../redact/values.ts'
import type {ReleaseId} from '../release.ts'
import {expectKept, splitReleaseValues} from './export.ts'
import {secretPathsOf} from './overrides/override-base.ts'
import type {Supplied} from './secrets/supply-secrets.ts'

/** The values of one release, and the layers that they come from. */
export interface ShownValues {
  readonly release: ReleaseId
  readonly layers: readonly string[]
  readonly values: Values
}

interface ShowOptions {
  readonly release: string
  /** Computes the values as templates see them; without it, the merged layers are returned. */
  readonly helm?: Helm | undefined
  readonly showSecrets?: boolean
}

/**
 * Returns the values passed to helm; with `helm`, the values that the chart's templates see, computed by Helm
 * itself. Secrets are masked unless `showSecrets`.
 */
export async function showValues(
  prepared: Prepared,
  {release: name, helm, showSecrets = false}: ShowOptions,
): Promise<ShownValues> {
  const release = namedRelease(prepared, name)
  const preparedRelease = prepared.releases.get(release)
  const layers = preparedRelease?.layers ?? []
  const values = helm ? await computed(prepared, release, helm) : mergedValues(layers)
  const paths = preparedRelease ? await secretPathsOf(prepared.plugins)(preparedRelease.chart) : []
  return {
    release,
    layers: layers.map((layer) => layer.source),
    values: showSecrets ? values : redactValues(values, pathsToMask(layers, paths)),
  }
}

interface ShowSecretsOptions {
  readonly release: string
  /** The environment with the secrets that kk keeps. */
  readonly supplied: Supplied
  readonly showSecrets: boolean
}

/**
 * Returns the secret values of a release, masked unless `showSecrets`. Rejects with `KK_USAGE` for unkept
 * ones.
 */
export async function showSecretValues(
  prepared: Prepared,
  {release: name, supplied, showSecrets}: ShowSecretsOptions,
): Promise<Values> {
  const release = namedRelease(prepared, name)
  const secrets = (await splitReleaseValues({prepared, supplied})).get(release)?.secrets ?? {}
  if (!showSecrets) return redactWhole(secrets) as Values
  expectKept({supplied}, [{id: release}])
  return secrets
}

async function computed(prepared: Prepared, release: ReleaseId, helm: Helm): Promise<Values> {
  const vendored = await vendor(prepared, [release])
  try {
    return await computedValues(helm, vendored.call(release)).catch((error: unknown) =>
      throwPositioned(error, prepared.releases),
    )
  } finally {
    await vendored.remove()
  }
}
