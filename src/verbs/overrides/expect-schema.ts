import {asKkError} from '../../errors.ts'
import type {Helm} from '../../helm/helm.ts'
import {computedValues} from '../../overrides/computed.ts'
import {mergeValues} from '../../overrides/merge.ts'
import type {ReleaseId, Values} from '../../release.ts'
import type {Prepared} from '../preparation/prepare.ts'
import {vendor} from '../preparation/rendering/vendored.ts'

/** Rejects with `KK_HELM_MISSING` where there is none. */
export type HelmOf = () => Promise<Pick<Helm, 'template'>>

interface Asked {
  readonly release: ReleaseId
  /** What the deployer overrides, or would. */
  readonly user: Values
  readonly helm: HelmOf
}

/** Asks helm for the values as the chart would see them: it checks them by the chart's schema. Rejects with `KK_VALUES`. */
export async function expectSchema(prepared: Prepared, {release, user, helm}: Asked): Promise<void> {
  const found = await helm().catch((error: unknown) => {
    if (asKkError(error).code !== 'KK_HELM_MISSING') throw error
  })
  if (!found) return
  const vendored = await vendor(prepared, [release])
  try {
    const call = vendored.call(release)
    await computedValues(found, {...call, values: mergeValues(call.values, user)})
  } finally {
    await vendored.remove()
  }
}
