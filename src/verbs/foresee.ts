import {access, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {asKkError} from '../base/errors.ts'
import {deployChange, replacedIn} from '../doctor/checks/change.ts'
import {checkBefore} from '../doctor/checks/checks.ts'
import type {ChartFacts} from '../graph/inference/facts.ts'
import type {Helm} from '../helm/helm.ts'
import type {ApiServer} from '../kubernetes/api/api-server.ts'
import type {ClusterIdentity} from '../kubernetes/api/identity.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import type {DryRuns} from '../kubernetes/dry-run/dry-runs.ts'
import {definedKinds} from '../kubernetes/inventory/custom-kinds.ts'
import {nameProblem} from '../kubernetes/manifest/name-problem.ts'
import {digest} from '../plan/digest.ts'
import type {Action, Plan} from '../plan/plan.ts'
import {preparedMask} from '../prepare/environment-mask.ts'
import {definedVersions} from '../prepare/inference/facts-of-releases.ts'
import {type Foreknown, layersKey} from '../prepare/inference/foreknown.ts'
import {throwPlaced} from '../prepare/placed-problems.ts'
import {expectSupportedVersions} from '../prepare/preflight.ts'
import type {Prepared} from '../prepare/prepare.ts'
import {foreknownRender} from '../prepare/rendering/foreknown-render.ts'
import {
  customResources,
  customResourcesOf,
  type KnownAfterApply,
  knownAfterApply,
} from '../prepare/rendering/known-after-apply.ts'
import {helmActions, type Rendered, renderAll} from '../prepare/rendering/render.ts'
import type {Renderer} from '../prepare/rendering/render-on-cluster.ts'
import {vendor} from '../prepare/rendering/vendored.ts'
import {type Preflight, validateAll} from '../prepare/validate-all.ts'
import {type ReleaseId, releaseName} from '../release.ts'
import {makeDirectory} from '../state/files/make-directory.ts'
import {type HookData, hookData} from './change/hook-data.ts'
import {type PlannedChange, refuseDowngrade} from './change/planned-change.ts'
import type {ObservedPlan} from './plan.ts'

/** What a change would meet, as far as it is seen without making it ready. */
export interface Foreseen {
  /** True when the API server could be asked. */
  readonly isAsked: boolean
  /** What the checks before the first change have noted. */
  readonly notes: readonly string[]
  readonly later: readonly KnownAfterApply[]
  readonly data: readonly HookData[]
}

interface Foresight {
  readonly cluster: Cluster
  /** Undefined where helm has nothing to do. */
  readonly helm: Helm | undefined
  /** The directory of what need not be asked again. */
  readonly cache: string
  /** Whether everything is rendered, though it was before. */
  readonly isWhole: boolean
  readonly forceVersion: boolean
  readonly forceConflicts?: boolean | undefined
  /** Called with what was rendered before anything is refused. */
  readonly onRendered: (rendered: Rendered) => void
}

/** Renders what a change would make, and throws the errors with which `PlannedChange.ready` refuses it; data is given up later. */
export async function foresee(
  planned: PlannedChange,
  {cluster, helm, cache, isWhole, onRendered, forceVersion, forceConflicts = false}: Foresight,
): Promise<Foreseen> {
  const {prepared, plan, previous} = planned
  const asked = askedRenders(prepared, {cache, cluster: plan.cluster})
  const ports = {cluster, ...(!isWhole && {ifUnknown: asked})}
  const rendered: Rendered = helm ? await renderPlan(prepared, plan, {helm, ...ports}) : new Map()
  onRendered(rendered)
  const notes: string[] = []
  let isAsked = true
  if (helm) {
    await expectSupported({observed: planned, rendered, ports: {cluster, helm}, forceVersion})
    notes.push(...(await checkBefore(deployChange({prepared, plan, rendered, previous, cluster}))))
    notes.push(...uncheckedNotes(prepared, plan, rendered))
    const {foreknown} = prepared
    const mask = preparedMask(prepared)
    isAsked = await askedToAccept(rendered, cluster.dryRuns, {
      plan,
      previous,
      helm,
      forceConflicts,
      foreknown,
      mask,
    })
    if (notes.length === 0) await asked.keep(plan, rendered)
  }
  const later = await unknownYet(prepared, plan, {rendered, cluster})
  const replaced = replacedIn(rendered, previous)
  return {isAsked, notes, later, data: await hookData(cluster.live, plan, {objectsOf: rendered, replaced})}
}

/**
 * Renders what a plan would install or upgrade. With `ifUnknown` it leaves out releases that were rendered before with
 * the same inputs and that the API server was asked about, unless an object of theirs has to be checked against the
 * cluster again; and new releases, if the environment infers nothing. Rejects with helm's error for a chart or its
 * values; see `renderAll`.
 */
export async function renderPlan(
  prepared: Prepared,
  plan: Plan,
  {ifUnknown, ...ports}: ForesightPorts,
): Promise<Rendered> {
  // Once per release, for it reads in the files of a chart whether it asks the cluster something.
  const foreknown = new Map(plan.actions.map((action) => [action.release, foreknownRender(prepared, action)]))
  const isLeft = async (action: Action) => {
    if (!ifUnknown) return false
    const known = foreknown.get(action.release)
    // Where requirements are not inferred from renders, a plan does not wait for them: the deploy renders the chart.
    if (!known) return !prepared.environment.infer && action.kind === 'install'
    return !known.rendered && isPlain(known.facts) && (await ifUnknown.wasAsked(action, known))
  }
  const left = await Promise.all(plan.actions.map(isLeft))
  const wanted = {...plan, actions: plan.actions.filter((_, index) => !left[index])}
  const vendored = await vendor(
    prepared,
    helmActions(wanted).map(({release}) => release),
  )
  const objects = ({release}: Action) => foreknown.get(release)?.rendered?.map(({object}) => object)
  const kinds = foreknownKinds(prepared)
  return renderAll({plan: wanted, vendored, ...ports, kinds, known: objects})
    .catch((error: unknown) => throwPlaced(error, prepared.releases))
    .finally(vendored.remove)
}

/** Returns a note on releases that are not rendered for a plan, so that the checks of what they make are not made. */
function uncheckedNotes(
  {environment}: Pick<Prepared, 'environment'>,
  plan: Plan,
  rendered: Rendered,
): readonly string[] {
  const missing = helmActions(plan).filter(({release}) => !rendered.has(release))
  if (environment.infer || missing.length === 0) return []
  const names = missing.map(({release}) => releaseName(release)).join(', ')
  return [
    `not rendered, so not checked yet: ${names} (kk.infer: false); kk plan --diff checks them, and so does the deploy`,
  ]
}

/** Kinds that may grant the right to define kinds, or hold data: only the rendered object shows whether it does. */
const SEEN_EACH_TIME: ReadonlySet<string> = new Set([
  ...['APIService', 'ClusterRole', 'ClusterRoleBinding'],
  ...['PersistentVolumeClaim', 'Namespace'],
])

/**
 * Whether a chart provides only objects of built-in kinds, in its own namespace, with valid names, none of which may
 * grant the right to define kinds or holds data.
 */
function isPlain({provided}: ChartFacts): boolean {
  return provided.objects.every(
    ({apiVersion, kind, name, namespace}) =>
      apiVersion === undefined &&
      !SEEN_EACH_TIME.has(kind) &&
      namespace === undefined &&
      nameProblem({apiVersion: 'v1', kind, metadata: {name}}) === undefined,
  )
}

/** Returns the custom kinds that those charts define which were rendered to infer their requirements. */
function foreknownKinds({foreknown}: Prepared): readonly string[] {
  return definedVersions([...(foreknown?.values() ?? [])].map(({facts}) => facts))
}

interface ForesightPorts {
  readonly helm: Renderer
  readonly cluster: {readonly apiServer: ApiServer}
  readonly ifUnknown?: Pick<AskedRenders, 'wasAsked'>
}

/** The renders that an API server was asked about and did not refuse. */
interface AskedRenders {
  wasAsked(action: Pick<Action, 'release'>, known: Foreknown): Promise<boolean>
  /** Keeps the renders of a plan. One that cannot be kept is rendered and asked about again. */
  keep(plan: Plan, rendered: Rendered): Promise<void>
}

/**
 * Returns the renders of one cluster, kept as empty files below a cache of kk's own, each named by a digest of all
 * inputs of the render, and of the other releases that it was checked with.
 */
export function askedRenders(
  prepared: Pick<Prepared, 'foreknown' | 'releases'>,
  {cache, cluster}: {readonly cache: string; readonly cluster: Pick<ClusterIdentity, 'uid'>},
): AskedRenders {
  const all = [...prepared.releases].map(([release, {desired, layers}]) => {
    return [release, desired.chart.digest, layersKey(layers)]
  })
  const fileOf = (release: ReleaseId, {layers, facts}: Foreknown) =>
    join(cache, 'asked', digest({release, all, layers, facts, cluster: cluster.uid}))
  return {
    async wasAsked({release}, known) {
      const found = await access(fileOf(release, known)).catch((error: unknown) => error)
      return found === undefined
    },
    async keep({actions}, rendered) {
      const files = actions.flatMap((action) => {
        const known = rendered.has(action.release) && foreknownRender(prepared, action)
        return known ? [fileOf(action.release, known)] : []
      })
      try {
        await makeDirectory(join(cache, 'asked'))
        await Promise.all(files.map((file) => writeFile(file, '')))
      } catch {
        // A cache that cannot be written.
      }
    },
  }
}

interface Supportable {
  readonly observed: Pick<ObservedPlan, 'plan' | 'previous'>
  readonly rendered: Rendered
  readonly ports: {readonly cluster: Cluster; readonly helm: Helm}
  readonly forceVersion: boolean
}

/** Throws the errors with which a deploy refuses what it has rendered: `KK_VERSION`, `KK_HELM_DOWNGRADE`. */
async function expectSupported({observed, rendered, ports, forceVersion}: Supportable): Promise<void> {
  const {plan, previous} = observed
  await refuseDowngrade(plan, ports)
  if (!forceVersion) expectSupportedVersions({plan, rendered, previous})
}

/** Asks the API server whether it would accept what was rendered; false without the right. Throws as `validateAll`. */
export async function askedToAccept(
  rendered: Rendered,
  dryRuns: DryRuns,
  preflight: Preflight,
): Promise<boolean> {
  try {
    await validateAll(rendered, dryRuns, preflight)
    return true
  } catch (error) {
    if (asKkError(error).code === 'KK_FORBIDDEN') return false
    throw error
  }
}

/** Returns the custom resources whose kind comes with the plan, which are validated when their turn comes. */
async function unknownYet(
  prepared: Prepared,
  plan: Plan,
  {rendered, cluster}: {readonly rendered: Rendered; readonly cluster: {readonly apiServer: ApiServer}},
): Promise<readonly KnownAfterApply[]> {
  const resources = helmActions(plan).map(({release}) => {
    const facts = prepared.foreknown?.get(release)?.facts
    const known = facts ? customResourcesOf(facts) : customResources(rendered.get(release) ?? [])
    return [release, known] as const
  })
  const defined = definedKinds([...rendered.values()].flat())
  return knownAfterApply(new Map(resources), {
    cluster,
    brought: new Set([...foreknownKinds(prepared), ...defined]),
  })
}
