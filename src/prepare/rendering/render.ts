import {mapParallel} from '../../base/parallel.ts'
import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import {definedKinds} from '../../kubernetes/inventory/custom-kinds.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import type {Action, Plan} from '../../plan/plan.ts'
import type {ReleaseId} from '../../release.ts'
import {renderByKinds} from './render-by-kinds.ts'
import {type Renderer, renderOnCluster} from './render-on-cluster.ts'
import type {Vendored} from './vendored.ts'

/** The objects of each release to install or upgrade, including hooks. */
export type Rendered = ReadonlyMap<ReleaseId, readonly KubernetesObject[]>

/** Returns the actions for which helm will run. */
export function helmActions(plan: Plan): readonly Action[] {
  return plan.actions.filter(({kind}) => kind === 'install' || kind === 'upgrade')
}

export interface Rendering {
  readonly plan: Plan
  readonly helm: Renderer
  readonly vendored: Vendored
  readonly cluster: {readonly apiServer: ApiServer}
  /** Custom kinds of releases that are not rendered again, as `group/version/Kind`. */
  readonly kinds?: readonly string[]
  /** Returns the objects of an action that is already rendered. */
  readonly cachedObjects?: (action: Action) => readonly KubernetesObject[] | undefined
}

/**
 * Renders what a plan installs or upgrades. Charts that query the kinds of the cluster get the served kinds
 * and those that the plan adds. Charts that look objects up, or read the revision number, are rendered as in
 * an upgrade. Rejects with helm's error for the first chart, in the order of the plan, that does not render.
 */
export async function renderAll(rendering: Rendering): Promise<Rendered> {
  const {plan, vendored, cluster, kinds = []} = rendering
  const asks = ({release}: Action) => vendored.asksKinds(release)
  const actions = helmActions(plan)
  const served = actions.some(asks) ? await cluster.apiServer.customKinds() : []
  const outcomes = await renderByKinds<Action, Outcome>(actions, {
    asks,
    definedBy: (rendered) =>
      definedKinds(rendered.flatMap((each) => ('objects' in each ? each.objects : []))),
    render: (some, defined) =>
      render(some, {
        ...rendering,
        apiVersions: defined ? [...new Set([...served, ...kinds, ...defined])].sort() : [],
        isServed: (version) => served.includes(version),
      }),
  })
  return expectRendered(outcomes, actions)
}

/** The objects that a chart renders, or the error. */
type Outcome = {readonly objects: readonly KubernetesObject[]} | {readonly error: unknown}

/** Returns the rendered objects in the order of the plan, not of rendering. Throws the first error. */
function expectRendered(outcomes: ReadonlyMap<ReleaseId, Outcome>, actions: readonly Action[]): Rendered {
  return new Map(
    actions.map(({release}) => {
      const outcome = outcomes.get(release)!
      if ('error' in outcome) throw outcome.error
      return [release, outcome.objects]
    }),
  )
}

interface WithKinds extends Rendering {
  readonly apiVersions: readonly string[]
  readonly isServed: (apiVersion: string) => boolean
}

/** Renders charts. Uses the cluster only if it serves all kinds passed to the charts. */
async function render(
  actions: readonly Action[],
  {plan, helm, vendored, cachedObjects, apiVersions, isServed}: WithKinds,
): Promise<ReadonlyMap<ReleaseId, Outcome>> {
  const canAsk = apiVersions.every(isServed)
  const outcomes = await mapParallel(actions, async (action) => {
    const {release, kind, revision} = action
    const objects = cachedObjects?.(action)
    if (objects) return [release, {objects}] as const
    const isUpgrade = kind === 'upgrade'
    return renderOnCluster(helm, vendored.call(release), {
      kubeVersion: plan.cluster.version,
      isUpgrade,
      apiVersions,
      looksUp: canAsk && vendored.looksUp(release),
      revision: canAsk && isUpgrade && vendored.asksRevision(release) ? revision + 1 : undefined,
    })
      .then((objects) => [release, {objects}] as const)
      .catch((error: unknown) => [release, {error}] as const)
  })
  return new Map<ReleaseId, Outcome>(outcomes)
}
