import {isBuiltIn} from '../cluster/built-in-kind.ts'
import type {Cluster} from '../cluster/cluster.ts'
import {objectName} from '../cluster/manifest.ts'
import {asKkError} from '../errors.ts'
import type {Helm} from '../helm/helm.ts'
import type {Action, Plan} from '../plan/plan.ts'
import {releaseName} from '../release.ts'
import {refuseDowngrade} from './change/deploy.ts'
import type {ObservedPlan} from './plan.ts'
import {expectSupportedVersions} from './preparation/fences.ts'
import {foreknownRender} from './preparation/foreknown-render.ts'
import type {Prepared} from './preparation/prepare.ts'
import {helmActions, type Rendered, renderAll, validateAll} from './preparation/render.ts'
import type {Compared} from './preparation/unclaimed.ts'
import {vendor} from './preparation/vendored.ts'

/**
 * Renders what a plan would install or upgrade; with `ifUnknown` only what was not rendered before with the same inputs, for
 * who only wants to know that it renders. Rejects with what helm says of a chart or its values; see
 * `renderAll`.
 */
export async function renderPlan(
  prepared: Prepared,
  plan: Plan,
  {ifUnknown = false, ...ports}: ForesightPorts,
): Promise<Rendered> {
  // Whether a chart asks something of the cluster is read from its files: once.
  const foreknown = new Map(plan.actions.map((action) => [action.release, foreknownRender(prepared, action)]))
  const known = ({release}: Action) => foreknown.get(release)
  const actions = plan.actions.filter((action) => !ifUnknown || !known(action))
  const wanted = {...plan, actions}
  const vendored = await vendor(
    prepared,
    helmActions(wanted).map(({release}) => release),
  )
  const objects = (action: Action) => known(action)?.objects
  return renderAll({plan: wanted, vendored, ...ports, known: objects}).finally(vendored.remove)
}

interface ForesightPorts {
  readonly helm: Pick<Helm, 'template'>
  readonly cluster: Pick<Cluster, 'customKinds'>
  readonly ifUnknown?: boolean
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
 * Asks the API server whether it would accept what was rendered. Resolves with what it cannot tell yet, for its namespace or
 * kind comes with the plan; undefined where it could not be asked: who may only look may not. Throws `KK_INVALID_OBJECT`
 * and `KK_IN_THE_WAY`.
 */
export async function askedToAccept(
  rendered: Rendered,
  cluster: Pick<Cluster, 'validate'>,
  observed: Compared,
): Promise<Rendered | undefined> {
  try {
    return await validateAll(rendered, cluster, observed)
  } catch (error) {
    if (asKkError(error).code === 'KK_FORBIDDEN') return undefined
    throw error
  }
}

/** Custom resources whose kind comes with the plan, as `cache: Cache/cache`: validated when their turn comes. */
export function knownAfterApply(later: Rendered): readonly string[] {
  return [...later].flatMap(([release, objects]) =>
    objects
      .filter(({apiVersion}) => !isBuiltIn(apiVersion))
      .map((object) => `${releaseName(release)}: ${objectName(object)}`),
  )
}
