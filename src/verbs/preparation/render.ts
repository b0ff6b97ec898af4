import type {Cluster, KubernetesObject} from '../../cluster/cluster.ts'
import {definedKinds} from '../../cluster/custom-kinds.ts'
import {parseManifest} from '../../cluster/manifest.ts'
import {mapParallel} from '../../cluster/parallel.ts'
import {KkError} from '../../errors.ts'
import type {Helm} from '../../helm/helm.ts'
import type {Action, Plan} from '../../plan/plan.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'
import {type Compared, expectUnclaimed, type StandingObject} from './unclaimed.ts'
import type {Vendored} from './vendored.ts'

/** How many helms render at once: each takes about 100 MB for a moment. */
const RENDERERS = 4

/** The objects of each release that is to be installed or upgraded, hooks included. */
export type Rendered = ReadonlyMap<ReleaseId, readonly KubernetesObject[]>

/** The actions for which helm will run. */
export function helmActions(plan: Plan): readonly Action[] {
  return plan.actions.filter(({kind}) => kind === 'install' || kind === 'upgrade')
}

export interface Rendering {
  readonly plan: Plan
  readonly helm: Pick<Helm, 'template'>
  readonly vendored: Vendored
  readonly cluster: Pick<Cluster, 'customKinds'>
  /** What is rendered already. */
  readonly known?: (action: Action) => readonly KubernetesObject[] | undefined
}

/**
 * Charts that ask which kinds the cluster has are rendered with those that it serves, and those that come with this plan.
 * Rejects with what helm says of the first chart, in the order of the plan, that does not render.
 */
export async function renderAll(rendering: Rendering): Promise<Rendered> {
  const {plan, vendored, cluster} = rendering
  const actions = helmActions(plan)
  const first = await render(actions, [], rendering)
  const asking = actions.filter(({release}) => vendored.asksKinds(release))
  if (asking.length === 0) return first
  const kinds = [...(await cluster.customKinds()), ...definedKinds([...first.values()].flat())]
  return new Map([...first, ...(await render(asking, [...new Set(kinds)].sort(), rendering))])
}

async function render(
  actions: readonly Action[],
  apiVersions: readonly string[],
  {plan, helm, vendored, known}: Rendering,
): Promise<Rendered> {
  const outcomes = await mapParallel(actions, RENDERERS, async (action) => {
    const {release, kind} = action
    const objects = known?.(action)
    if (objects) return {release, objects}
    return helm
      .template(vendored.call(release), {
        kubeVersion: plan.cluster.version,
        isUpgrade: kind === 'upgrade',
        apiVersions,
      })
      .then((manifest) => ({release, objects: parseManifest(manifest)}))
      .catch((error: unknown) => ({release, error}))
  })
  for (const outcome of outcomes) if ('error' in outcome) throw outcome.error
  return new Map(outcomes.map((outcome) => [outcome.release, 'objects' in outcome ? outcome.objects : []]))
}

/**
 * Asks the API server, in a dry run, to accept every object whose namespace and kind exist. Resolves with the others,
 * which are known after apply; rejects with `KK_INVALID_OBJECT` and all that it refuses, and with `KK_IN_THE_WAY` and all
 * that helm would refuse.
 */
export async function validateAll(
  rendered: Rendered,
  cluster: Pick<Cluster, 'validate'>,
  compared: Compared,
): Promise<Rendered> {
  const refusals: string[] = []
  const standing: StandingObject[] = []
  const later = new Map<ReleaseId, readonly KubernetesObject[]>()
  for (const [release, objects] of rendered) {
    const validations = await cluster.validate(releaseNamespace(release), objects)
    later.set(
      release,
      objects.filter((_, index) => validations[index]?.outcome === 'known-after-apply'),
    )
    for (const [index, validation] of validations.entries()) {
      if (validation.outcome === 'refused')
        refusals.push(`${release}: ${validation.object}: ${validation.message}`)
      if (validation.outcome === 'accepted' && validation.standing)
        standing.push({release, object: objects[index]!, live: validation.standing})
    }
  }
  expectUnclaimed(standing, {...compared, rendered})
  if (refusals.length === 0) return later
  const going = [...new Set(refusals.flatMap((refusal) => goingNamespace(refusal) ?? []))]
  if (going.length > 0) {
    throw new KkError(
      'KK_INVALID_OBJECT',
      `being deleted, so that nothing can be made there: namespace ${going.join(', ')}`,
      {
        hint: 'wait until it is gone, then run the same command again; kk doctor tells what holds it; nothing was changed',
      },
    )
  }
  throw new KkError('KK_INVALID_OBJECT', `the cluster would not accept:\n  ${refusals.join('\n  ')}`, {
    hint: 'correct the values of these releases, or their charts; nothing was changed',
  })
}

/** As the API server's admission says it (NamespaceLifecycle). */
function goingNamespace(refusal: string): string | undefined {
  return /in namespace (\S+) because it is being terminated/.exec(refusal)?.[1]
}
