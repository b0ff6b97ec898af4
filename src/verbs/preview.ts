import {access, writeFile} from 'node:fs/promises'
import {join} from 'node:path'
import {asKkError} from '../base/errors.ts'
import {deployChange, hooksReplacingObjects} from '../doctor/checks/change.ts'
import {CHECKS, type Check, checkBefore} from '../doctor/checks/checks.ts'
import type {ChartFacts} from '../graph/inference/facts.ts'
import type {Helm} from '../helm/helm.ts'
import type {ApiServer} from '../kubernetes/api/api-server.ts'
import type {ClusterIdentity} from '../kubernetes/api/identity.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import type {DryRuns} from '../kubernetes/dry-run/dry-runs.ts'
import {definedKinds} from '../kubernetes/inventory/custom-kinds.ts'
import {nameProblem} from '../kubernetes/manifest/name-problem.ts'
import {digest} from '../plan/digest.ts'
import type {ActionForecast} from '../plan/forecast/action-forecast.ts'
import type {Action, Plan} from '../plan/plan.ts'
import {preparedMask} from '../prepare/environment-mask.ts'
import {type CachedRender, layersKey} from '../prepare/inference/cached-renders.ts'
import {definedVersions} from '../prepare/inference/facts-of-releases.ts'
import {throwPositioned} from '../prepare/positioned-problems.ts'
import {expectSupportedVersions} from '../prepare/preflight.ts'
import type {Prepared} from '../prepare/prepare.ts'
import {cachedRender} from '../prepare/rendering/cached-render.ts'
import {
  customResources,
  customResourcesInFacts,
  type KnownAfterApply,
  knownAfterApply,
} from '../prepare/rendering/known-after-apply.ts'
import {helmActions, type Rendered, renderAll} from '../prepare/rendering/render.ts'
import type {Renderer} from '../prepare/rendering/render-on-cluster.ts'
import {vendor} from '../prepare/rendering/vendored.ts'
import {type Preflight, validateAll} from '../prepare/validate-all.ts'
import {type ReleaseId, releaseName} from '../release.ts'
import {makeDirectory} from '../state/files/make-directory.ts'
import {forecastChange, type PastRuns} from './change/forecast-change.ts'
import {type HookData, hookData} from './change/hook-data.ts'
import {type PlannedChange, refuseDowngrade} from './change/planned-change.ts'
import type {ObservedPlan} from './plan.ts'

/** The results of the checks of a change, as far as they are possible without making it ready. */
export interface ChangePreview {
  /** True if the API server could validate the objects. */
  readonly isChecked: boolean
  /** The notes of the checks before the first change. */
  readonly notes: readonly string[]
  readonly later: readonly KnownAfterApply[]
  /** What the actions take that were rendered, and who notices them; empty unless requested. */
  readonly forecast: readonly ActionForecast[]
  readonly data: readonly HookData[]
}

interface PreflightOptions {
  readonly cluster: Cluster
  /** Undefined if helm has nothing to do. */
  readonly helm: Helm | undefined
  /** The cache directory of renders that were already validated. */
  readonly cache: string
  /** Whether to render everything, even if it is cached. */
  readonly rendersCached: boolean
  readonly forceVersion: boolean
  readonly forceConflicts?: boolean | undefined
  /** Checks in addition to `CHECKS`. */
  readonly moreChecks?: readonly Check[]
  /** Runs of other clusters, for the forecast; undefined without one. */
  readonly pastRuns?: PastRuns | undefined
  /** Called with the rendered objects before anything is refused. */
  readonly onRendered: (rendered: Rendered) => void
}

/**
 * Renders and checks a change. Throws the same errors as `PlannedChange.ready`, except for unconfirmed
 * data, which is returned.
 */
export async function previewChange(
  planned: PlannedChange,
  {
    cluster,
    helm,
    cache,
    rendersCached,
    onRendered,
    forceVersion,
    forceConflicts = false,
    moreChecks = [],
    pastRuns,
  }: PreflightOptions,
): Promise<ChangePreview> {
  const {prepared, plan, previous, records} = planned
  const validated = validatedRenders(prepared, {cache, cluster: plan.cluster})
  const ports = {cluster, ...(!rendersCached && {ifUnknown: validated})}
  const rendered: Rendered = helm ? await renderPlan(prepared, plan, {helm, ...ports}) : new Map()
  onRendered(rendered)
  const notes: string[] = []
  let isChecked = true
  let expected: readonly ActionForecast[] = []
  if (helm) {
    await expectSupported({observed: planned, rendered, ports: {cluster, helm}, forceVersion})
    const change = deployChange({prepared, plan, rendered, previous, records, cluster})
    if (pastRuns) expected = await forecastChange(plan, {rendered, previous}, {cluster, pastRuns})
    const mask = preparedMask(prepared)
    notes.push(...(await checkBefore(change, [...CHECKS, ...moreChecks], mask)))
    notes.push(...uncheckedNotes(prepared, plan, rendered))
    const {cachedRenders} = prepared
    isChecked = await validateInDryRun(rendered, cluster.dryRuns, {
      plan,
      previous,
      helm,
      forceConflicts,
      cachedRenders,
      mask,
    })
    if (notes.length === 0) await validated.keep(plan, rendered)
  }
  const later = await unknownYet(prepared, plan, {rendered, cluster})
  const replaced = hooksReplacingObjects(rendered, previous)
  const data = await hookData(cluster.live, plan, {objectsOf: rendered, replaced})
  return {isChecked, notes, later, forecast: expected, data}
}

/**
 * Renders the releases that a plan would install or upgrade. With `ifUnknown`, it skips releases that were
 * rendered with the same inputs and validated before, unless an object must be checked against the cluster
 * again; it also skips new releases if the environment infers nothing. Rejects with helm's error for a chart
 * or its values; see `renderAll`.
 */
export async function renderPlan(
  prepared: Prepared,
  plan: Plan,
  {ifUnknown, ...ports}: RenderPorts,
): Promise<Rendered> {
  // Computed once per release, because it searches the files of the chart for reads from the cluster.
  const cached = new Map(plan.actions.map((action) => [action.release, cachedRender(prepared, action)]))
  const isSkipped = async (action: Action) => {
    if (!ifUnknown) return false
    const cachedRenderOf = cached.get(action.release)
    // Without inference from renders, a plan does not wait for renders: the deploy renders the chart.
    if (!cachedRenderOf) return !prepared.environment.infer && action.kind === 'install'
    return (
      !cachedRenderOf.rendered &&
      hasNoCustomKinds(cachedRenderOf.facts) &&
      (await ifUnknown.wasValidated(action, cachedRenderOf))
    )
  }
  const skipped = await Promise.all(plan.actions.map(isSkipped))
  const wanted = {...plan, actions: plan.actions.filter((_, index) => !skipped[index])}
  const vendored = await vendor(
    prepared,
    helmActions(wanted).map(({release}) => release),
  )
  const objects = ({release}: Action) => cached.get(release)?.rendered?.map(({object}) => object)
  const kinds = cachedKinds(prepared)
  return renderAll({plan: wanted, vendored, ...ports, kinds, cachedObjects: objects})
    .catch((error: unknown) => throwPositioned(error, prepared.releases))
    .finally(vendored.remove)
}

/** Returns a note on releases that are not rendered for a plan, so that their objects are not checked. */
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

/**
 * Kinds that may grant the right to define kinds, or that hold data: their rendered objects are checked each
 * time.
 */
const ALWAYS_CHECKED_KINDS: ReadonlySet<string> = new Set([
  ...['APIService', 'ClusterRole', 'ClusterRoleBinding'],
  ...['PersistentVolumeClaim', 'Namespace'],
])

/**
 * Returns true if a chart provides only objects of built-in kinds, in its own namespace, with valid names,
 * and none that may grant the right to define kinds, or holds data.
 */
function hasNoCustomKinds({provided}: ChartFacts): boolean {
  return provided.objects.every(
    ({apiVersion, kind, name, namespace}) =>
      apiVersion === undefined &&
      !ALWAYS_CHECKED_KINDS.has(kind) &&
      namespace === undefined &&
      nameProblem({apiVersion: 'v1', kind, metadata: {name}}) === undefined,
  )
}

/** Returns the custom kinds that are defined by charts rendered for inference. */
function cachedKinds({cachedRenders}: Prepared): readonly string[] {
  return definedVersions([...(cachedRenders?.values() ?? [])].map(({facts}) => facts))
}

interface RenderPorts {
  readonly helm: Renderer
  readonly cluster: {readonly apiServer: ApiServer}
  readonly ifUnknown?: Pick<ValidatedRenders, 'wasValidated'>
}

/** The renders that an API server has validated and accepted. */
interface ValidatedRenders {
  wasValidated(action: Pick<Action, 'release'>, render: CachedRender): Promise<boolean>
  /** Stores the renders of a plan. One that cannot be stored is rendered and validated again. */
  keep(plan: Plan, rendered: Rendered): Promise<void>
}

/**
 * Returns the validated renders of one cluster, stored as empty files in the cache, each named by a digest of
 * all inputs of the render and of the other releases that it was checked with.
 */
export function validatedRenders(
  prepared: Pick<Prepared, 'cachedRenders' | 'releases'>,
  {cache, cluster}: {readonly cache: string; readonly cluster: Pick<ClusterIdentity, 'uid'>},
): ValidatedRenders {
  const all = [...prepared.releases].map(([release, {desired, layers}]) => {
    return [release, desired.chart.digest, layersKey(layers)]
  })
  const markerFile = (release: ReleaseId, {layers, facts}: CachedRender) =>
    join(cache, 'asked', digest({release, all, layers, facts, cluster: cluster.uid}))
  return {
    async wasValidated({release}, render) {
      const accessError = await access(markerFile(release, render)).catch((error: unknown) => error)
      return accessError === undefined
    },
    async keep({actions}, rendered) {
      const files = actions.flatMap((action) => {
        const render = rendered.has(action.release) && cachedRender(prepared, action)
        return render ? [markerFile(action.release, render)] : []
      })
      try {
        await makeDirectory(join(cache, 'asked'))
        await Promise.all(files.map((file) => writeFile(file, '')))
      } catch {
        // The cache cannot be written: validate again next time.
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

/** Throws the errors with which a deploy refuses rendered releases: `KK_VERSION`, `KK_HELM_DOWNGRADE`. */
async function expectSupported({observed, rendered, ports, forceVersion}: Supportable): Promise<void> {
  const {plan, previous} = observed
  await refuseDowngrade(plan, ports)
  if (!forceVersion) expectSupportedVersions({plan, rendered, previous})
}

/** Validates rendered objects in a dry run; returns false without permission. Throws as `validateAll`. */
export async function validateInDryRun(
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

/** Returns the custom resources whose kind is added by the plan, which are validated during the run. */
async function unknownYet(
  prepared: Prepared,
  plan: Plan,
  {rendered, cluster}: {readonly rendered: Rendered; readonly cluster: {readonly apiServer: ApiServer}},
): Promise<readonly KnownAfterApply[]> {
  const resources = helmActions(plan).map(({release}) => {
    const facts = prepared.cachedRenders?.get(release)?.facts
    const resources = facts ? customResourcesInFacts(facts) : customResources(rendered.get(release) ?? [])
    return [release, resources] as const
  })
  const defined = definedKinds([...rendered.values()].flat())
  return knownAfterApply(new Map(resources), {
    cluster,
    brought: new Set([...cachedKinds(prepared), ...defined]),
  })
}
