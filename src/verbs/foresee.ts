import type {Cluster} from '../cluster/cluster.ts'
import {asKkError} from '../errors.ts'
import type {Helm} from '../helm/helm.ts'
import type {Plan} from '../plan/plan.ts'
import {refuseDowngrade} from './change/deploy.ts'
import type {ObservedPlan} from './plan.ts'
import {expectSupportedVersions} from './preparation/fences.ts'
import type {Prepared} from './preparation/prepare.ts'
import {helmActions, type Rendered, renderAll, validateAll} from './preparation/render.ts'
import {vendor} from './preparation/vendored.ts'

/** Renders what a plan would install or upgrade. Rejects with what helm says of a chart or its values; see `renderAll`. */
export async function renderPlan(
  prepared: Prepared,
  plan: Plan,
  ports: {readonly helm: Pick<Helm, 'template'>; readonly cluster: Pick<Cluster, 'customKinds'>},
): Promise<Rendered> {
  const vendored = await vendor(
    prepared,
    helmActions(plan).map(({release}) => release),
  )
  return renderAll({plan, vendored, ...ports}).finally(vendored.remove)
}

interface Foreseen {
  readonly observed: ObservedPlan
  readonly rendered: Rendered
  readonly ports: {readonly cluster: Cluster; readonly helm: Helm}
  readonly forceVersion: boolean
}

/** Throws what a deploy refuses by what it has rendered: `KK_VERSION`, `KK_HELM_DOWNGRADE`. */
export async function expectSupported({observed, rendered, ports, forceVersion}: Foreseen): Promise<void> {
  const {plan, befores} = observed
  await refuseDowngrade(plan, ports)
  if (!forceVersion) expectSupportedVersions({plan, rendered, befores})
}

/**
 * Asks the API server whether it would accept what was rendered. Resolves with whether it could be asked: who may only look may
 * not. Throws `KK_INVALID_OBJECT`.
 */
export async function askedToAccept(
  rendered: Rendered,
  cluster: Pick<Cluster, 'validate'>,
): Promise<boolean> {
  try {
    await validateAll(rendered, cluster)
    return true
  } catch (error) {
    if (asKkError(error).code === 'KK_FORBIDDEN') return false
    throw error
  }
}
