import {KkError} from '../../base/errors.ts'
import {oncePerObject} from '../../base/once.ts'
import type {Chart} from '../../charts/chart.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Requirement} from '../../graph/build.ts'
import type {KnownRelease} from '../../graph/inference/facts.ts'
import {
  type AmbiguousWant,
  type Inference,
  type InferenceInputs,
  type InferredRequirement,
  infer,
  type UnservedWant,
  withInferred,
} from '../../graph/inference/infer.ts'
import {servesKind} from '../../kubernetes/inventory/custom-kinds.ts'
import type {RenderedObject} from '../../kubernetes/manifest/manifest.ts'
import {featureLayers} from '../../overrides/features.ts'
import {builtInPlugins} from '../../overrides/system/plugins.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import {type Gathered, type GatherOptions, gather} from '../gathering/gather.ts'
import {releaseIdIn} from '../gathering/load-charts.ts'
import {ambiguousError} from './ambiguity.ts'
import {type CachedRenders, layersKey} from './cached-renders.ts'
import {readChartIndex} from './chart-index.ts'
import type {Requirements} from './choices.ts'
import {type FactsOfReleases, factsOfReleases, type Rendering} from './facts-of-releases.ts'
import {goneNotes, isGiven, isHanging, unservedError, unservedNotes, versionNotes} from './notes.ts'
import {pluginRequirements} from './plugin-requirements.ts'

/** The ports of an inference: rendering of charts, kinds served, a cache. */
export interface InferenceOptions extends Rendering {
  /** Resolve with the faults of the inference instead of throwing them. */
  readonly isTolerant?: boolean
}

/** The wants that no release satisfies, and those that several could satisfy. */
export interface InferenceFaults {
  readonly unserved: readonly UnservedWant[]
  readonly ambiguous: readonly AmbiguousWant[]
  /**
   * The other requirements, including those that releases of the chart index would have if they are chosen.
   */
  readonly requirements: Requirements
}

/** An environment with its requirements, stated and inferred. */
export interface Inferred {
  readonly gathered: Gathered
  readonly requirements: ReadonlyMap<ReleaseId, readonly Requirement[]>
  readonly inferred: readonly InferredRequirement[]
  readonly notes: readonly string[]
  readonly faults: InferenceFaults
  readonly cachedRenders: CachedRenders
}

interface InferOptions extends GatherOptions {
  readonly inference?: InferenceOptions | undefined
}

/**
 * Gathers an environment, infers requirements from its rendered charts, adds the charts that provide them,
 * and repeats until none is added. Renders nothing if no requirements have to be inferred. Throws
 * `KK_AMBIGUOUS`, `KK_UNSERVED` and helm's error for a chart that does not render.
 */
export async function inferRequirements(options: InferOptions): Promise<Inferred> {
  const {environment, inference} = options
  const plugins = options.places?.plugins ?? builtInPlugins()
  const added: ReleaseId[] = []
  const rendered = new Map<ReleaseId, readonly RenderedObject[]>()
  const rendering = inference && {...inference, onRendered: rendered.set.bind(rendered)}
  const features = oncePerObject((chart: Chart) => featureLayers(chart, environment.features))
  for (;;) {
    const gathered = await gather({...options, features}, added)
    const inferring = inferringAmong(environment, gathered)
    if (!rendering || inferring.size === 0) return {...NOTHING, gathered, requirements: gathered.requirements}
    const facts = await factsOfReleases(renderSubjects(environment, gathered), rendering)
    const {releases, failures} = readable(facts, gathered)
    if (!rendering.isTolerant) refuseUnreadable(failures, inferring)
    const missingCharts = new Set(added.filter((release) => !gathered.charts.has(release)))
    const chartIndex = await readChartIndex({
      environment,
      present: gathered.charts,
      cache: rendering.cache,
      missingCharts,
    })
    const inputs: InferenceInputs = {
      releases,
      inferring,
      chartIndex,
      named: new Set([...environment.sections.keys()].map((name) => releaseIdIn(environment, name))),
      stated: (release) => statedNames(environment, gathered, release),
    }
    const inferred = infer(inputs)
    const isServed = await servedAmong(inferred, rendering)
    const shown = withoutServed(inferred, {environment, gathered, isServed})
    const fromPlugins = await pluginRequirements({
      environment,
      gathered,
      inferring,
      plugins,
      finding: options.finding,
      without: (release) => inputs.stated(release).without,
    })
    const inference = {
      ...shown,
      requirements: [...shown.requirements, ...fromPlugins.requirements],
      added: [...new Set([...shown.added, ...fromPlugins.added])].sort(),
    }
    if (inference.added.length === 0) {
      const cachedRenders = collectRenders(releases, gathered, rendered)
      return {
        ...inferredRequirements({
          environment,
          gathered,
          inputs,
          found: inference,
          failures,
          inference: rendering,
          missingCharts,
        }),
        cachedRenders,
      }
    }
    added.push(...inference.added)
  }
}

const NOTHING = {
  inferred: [],
  notes: [],
  faults: {unserved: [], ambiguous: [], requirements: new Map<ReleaseId, never>()},
  cachedRenders: new Map<ReleaseId, never>(),
} as const

/** Returns the renders and facts of all releases whose charts render. */
function collectRenders(
  releases: readonly KnownRelease[],
  {layers}: Gathered,
  rendered: ReadonlyMap<ReleaseId, readonly RenderedObject[]>,
): CachedRenders {
  return new Map(
    releases.map(({release, facts}) => [
      release,
      {layers: layersKey(layers.get(release)!), rendered: rendered.get(release), facts},
    ]),
  )
}

/** Returns the releases whose charts state no requirements; `infer` of the environment overrides that. */
function inferringAmong(environment: Environment, {charts}: Gathered): ReadonlySet<ReleaseId> {
  const inferring = [...charts].filter(([release, {annotated}]) => {
    const setting = environment.releases.get(releaseName(release))?.infer
    return setting ?? (environment.infer && !annotated)
  })
  return new Set(inferring.map(([release]) => release))
}

function renderSubjects(environment: Environment, {charts, digests, layers}: Gathered) {
  return [...charts].map(([release, chart]) => ({
    release,
    chart,
    chartDigest: digests.get(chart.directory)!,
    layers: layers.get(release)!,
    timeoutSeconds: environment.releases.get(releaseName(release))?.timeoutSeconds,
  }))
}

interface Failure {
  readonly release: ReleaseId
  readonly error: KkError
}

function readable(
  facts: FactsOfReleases,
  {charts}: Gathered,
): {readonly releases: readonly KnownRelease[]; readonly failures: readonly Failure[]} {
  const releases: KnownRelease[] = []
  const failures: Failure[] = []
  for (const [release, {sharedInfrastructure: shared}] of charts) {
    const outcome = facts.get(release)!
    if ('provided' in outcome) releases.push({release, facts: outcome, shared})
    else failures.push({release, error: outcome})
  }
  return {releases, failures}
}

/**
 * Throws the first error of a chart whose requirements must be inferred; charts that only provide may stay
 * unknown.
 */
function refuseUnreadable(failures: readonly Failure[], inferring: ReadonlySet<ReleaseId>): void {
  const failure = failures.find(({release}) => inferring.has(release))
  if (!failure) return
  const {release, error} = failure
  const name = releaseName(release)
  throw new KkError(error.code, error.message, {
    cause: error,
    log: error.log,
    hint: `${error.hint ?? 'correct it'}; kk renders ${name} to infer what it requires: to specify that instead, kk.releases.${name}: {infer: false, requires: […]}`,
  })
}

function statedNames(environment: Environment, {requirements}: Gathered, release: ReleaseId) {
  const {without = [], requires = []} = environment.releases.get(releaseName(release)) ?? {}
  // A name in both `without` and `requires` replaces the requirement of the chart by the stated one.
  const requiredNames = new Set(requires.map((each) => each.release))
  const excluded = without.filter((name) => !requiredNames.has(name))
  return {
    stated: new Set((requirements.get(release) ?? []).map((each) => each.release)),
    without: new Set(excluded.map((name) => releaseIdIn(environment, name))),
  }
}

/**
 * Returns a predicate for wants of a kind that the cluster serves. Reads the served kinds only if there are
 * such wants.
 */
async function servedAmong(
  {unserved, ambiguous}: Inference,
  {served}: InferenceOptions,
): Promise<(want: UnservedWant) => boolean> {
  if (!served || ![...unserved, ...ambiguous].some(isOfKind)) return () => false
  const isServed = servesKind(await served())
  return ({want: {target}}) => target.what === 'kind' && target.name === undefined && isServed(target)
}

function isOfKind({want}: UnservedWant): boolean {
  return want.target.what === 'kind'
}

interface Provisions {
  readonly environment: Environment
  readonly gathered: Gathered
  readonly isServed: (want: UnservedWant) => boolean
}

/**
 * Removes wants that the cluster serves, that the environment declares as present (`kk.given`), or that a
 * required release of another environment serves.
 */
function withoutServed(inference: Inference, {environment, gathered, isServed}: Provisions): Inference {
  const isMissed = (each: UnservedWant) =>
    !isServed(each) && !isGiven(each, environment) && !isElsewhere(each, gathered)
  return {
    ...inference,
    unserved: inference.unserved.filter(isMissed),
    ambiguous: inference.ambiguous.filter(isMissed),
  }
}

/** Returns true if a want is in the namespace of a required release of another environment. */
function isElsewhere({release, want}: UnservedWant, {requirements, charts}: Gathered): boolean {
  const namespace = 'namespace' in want.target ? want.target.namespace : undefined
  const foreign = (requirements.get(release) ?? []).filter((each) => !charts.has(each.release))
  return foreign.some((each) => releaseNamespace(each.release) === namespace)
}

interface InferenceParts {
  readonly environment: Environment
  readonly gathered: Gathered
  readonly inputs: InferenceInputs
  readonly found: Inference
  readonly failures: readonly Failure[]
  readonly inference: InferenceOptions
  readonly missingCharts: ReadonlySet<ReleaseId>
}

function inferredRequirements(parts: InferenceParts): Omit<Inferred, 'cachedRenders'> {
  const {environment, gathered, inputs, found, failures, inference, missingCharts} = parts
  const {requirements: inferred, unserved, ambiguous} = found
  const requirements = withInferred(gathered.requirements, inferred)
  const hanging = unserved.filter((each) => isHanging(each, gathered.charts))
  const possible =
    ambiguous.length === 0
      ? requirements
      : possibleRequirements({stated: gathered.requirements, inferred, inputs})
  if (!inference.isTolerant && ambiguous.length > 0)
    throw ambiguousError(ambiguous, {environment, requirements: possible})
  if (!inference.isTolerant && hanging.length > 0) throw unservedError(hanging, environment)
  const unknown = failures.map(
    ({release, error}) => `what ${releaseName(release)} provides is unknown: ${error.message}`,
  )
  return {
    gathered,
    requirements,
    inferred,
    notes: [
      ...unknown,
      ...goneNotes(missingCharts),
      ...unservedNotes(unserved),
      ...(inference.identity ? [] : versionNotes(gathered.charts)),
    ],
    faults: {unserved, ambiguous, requirements: possible},
  }
}

interface FoundRequirements {
  readonly stated: Requirements
  readonly inferred: readonly InferredRequirement[]
  readonly inputs: InferenceInputs
}

/**
 * Returns the unambiguous requirements of each release, and all possible ones of releases of the chart index,
 * because these may be chosen.
 */
export function possibleRequirements({stated, inferred, inputs}: FoundRequirements): Requirements {
  const {releases, chartIndex} = inputs
  const offered = new Set(chartIndex.map(({release}) => release))
  const ofChartIndex = infer({
    ...inputs,
    releases: [...releases, ...chartIndex],
    inferring: offered,
    chartIndex: [],
  })
  const ambiguousRequirements = ofChartIndex.ambiguous.flatMap(
    ({release: from, want: {kind, file, text}, candidates}) =>
      candidates.map(({release: to}): InferredRequirement => {
        return {from, to, kind, evidence: {source: 'inferred', file, text}}
      }),
  )
  const nothing = [...offered].map((release) => [release, []] as const)
  return withInferred(new Map([...nothing, ...stated]), [
    ...inferred,
    ...ofChartIndex.requirements,
    ...ambiguousRequirements,
  ])
}
