import {KkError} from '../../base/errors.ts'
import type {Chart} from '../../charts/chart.ts'
import {readDialectChart} from '../../charts/dialect.ts'
import {type ChartFinding, findChart} from '../../charts/find-chart.ts'
import type {Environment, StatedRequirement} from '../../environment/environment.ts'
import type {Requirement} from '../../graph/build.ts'
import {
  COMMON,
  type Evidence,
  type ReleaseId,
  releaseId,
  releaseName,
  releaseNamespace,
} from '../../release.ts'
import {outsideServers} from './outside-servers.ts'

/** The charts and stated requirements of the releases of an environment. */
export interface LoadedCharts {
  readonly charts: ReadonlyMap<ReleaseId, Chart>
  /** The requirements of each release; no entry for a release whose chart no source has. */
  readonly requirements: ReadonlyMap<ReleaseId, readonly Requirement[]>
}

export interface LoadOptions {
  readonly environment: Environment
  readonly finding: ChartFinding
  /** See `GatherOptions`. */
  readonly unusable?: Map<ReleaseId, KkError> | undefined
}

/** Returns the id of a release of this environment, installed or not. */
export function releaseIdIn(environment: Environment, name: string): ReleaseId {
  return releaseId(environment.releases.get(name)?.namespace ?? environment.namespace, name)
}

/** Returns the releases that a name in the file refers to: all parts of a section that is split. */
function namedReleaseIds(environment: Environment, name: string): readonly ReleaseId[] {
  const parts = [...(environment.parts ?? [])].filter(([, {section}]) => section === name)
  return parts.length === 0
    ? [releaseIdIn(environment, name)]
    : parts.map(([part]) => releaseIdIn(environment, part))
}

/** Returns the id that the section of a release would have if it were a single release. */
export function sectionId(environment: Environment, release: ReleaseId): ReleaseId {
  const part = environment.parts?.get(releaseName(release))
  return part ? releaseId(releaseNamespace(release), part.section) : release
}

/**
 * Finds the chart of every section, then of the releases that those require, and so on. A requirement written
 * as `namespace/release` belongs to another environment and needs no chart here. `added` are releases with
 * inferred requirements on them.
 */
export async function loadCharts(
  {environment, finding, unusable}: LoadOptions,
  added: readonly ReleaseId[] = [],
): Promise<LoadedCharts> {
  const charts = new Map<ReleaseId, Chart>()
  const all = new Map<ReleaseId, readonly ResolvedRequirement[]>()
  const wanted = [...environment.sections.keys()].map((name) => releaseIdIn(environment, name))
  const queue = [
    ...wanted.map((release) => ({release, required: false, isForeign: false})),
    ...added.map((release) => ({release, required: true, isForeign: false})),
  ]
  for (const {release, required, isForeign} of queue) {
    if (all.has(release)) continue
    const chart = isForeign ? undefined : await loadChart({environment, finding, unusable}, release, required)
    if (chart === undefined && !isForeign && !unusable?.has(release)) continue
    if (chart !== undefined) charts.set(release, chart)
    const resolvedRequirements = isForeign
      ? []
      : resolveRequirements(environment, releaseName(release), chart)
    all.set(release, resolvedRequirements)
    for (const each of resolvedRequirements.filter(({optional}) => !optional))
      queue.push({release: each.requirement.release, required: true, isForeign: each.isForeign})
  }
  return {
    charts,
    requirements: new Map(
      [...all].map(([release, resolvedRequirements]) => [
        release,
        withoutAbsentOptional(resolvedRequirements, all),
      ]),
    ),
  }
}

/** Returns the effective requirements: an optional one only if its release is present for another reason. */
function withoutAbsentOptional(
  resolved: readonly ResolvedRequirement[],
  releases: ReadonlyMap<ReleaseId, unknown>,
): readonly Requirement[] {
  return resolved
    .filter(({requirement, optional}) => !optional || releases.has(requirement.release))
    .map(({requirement}) => requirement)
}

/**
 * Returns a release's chart; undefined for a missing required chart, which the graph reports with its
 * position.
 */
export async function loadChart(
  {environment, finding, unusable}: LoadOptions,
  release: ReleaseId,
  required: boolean,
) {
  const name = releaseName(release)
  const settings = environment.releases.get(name)
  const wanted = {
    name: settings?.chart ?? name,
    ...(settings?.version !== undefined && {version: settings.version}),
  }
  try {
    return await findChart(wanted, environment.charts, finding)
  } catch (error) {
    if (!(error instanceof KkError)) throw error
    const isNotFound = error.code === 'KK_CHART_NOT_FOUND'
    if (unusable) unusable.set(release, isNotFound ? placed(error, environment, name) : error)
    if (unusable || (isNotFound && required)) return undefined
    throw isNotFound ? placed(error, environment, name) : error
  }
}

/** Returns the error with the place in the file that names the chart. */
function placed({code, message, hint}: KkError, {file, position}: Environment, name: string): KkError {
  const at = position(['kk', 'releases', name, 'chart']) ?? position([name])
  const place = at ? `${at.file}:${at.line}:${at.column}` : file
  return new KkError(code, `${place}: ${message}`, hint === undefined ? {} : {hint})
}

interface ResolvedRequirement {
  readonly requirement: Requirement
  readonly isForeign: boolean
  readonly optional: boolean
}

function resolveRequirements(
  environment: Environment,
  name: string,
  chart: Chart | undefined,
): ResolvedRequirement[] {
  const part = environment.parts?.get(name)
  // The requirements of the section are those of its common part, which all other parts require.
  if (part && part.name !== COMMON) {
    return part.requires.map(({release, ...rest}) => ({
      requirement: {release: releaseIdIn(environment, release), ...rest},
      ...{isForeign: false, optional: false},
    }))
  }
  const settings = environment.releases.get(name)
  const fromSettings = (settings?.requires ?? []).map((each) => ({
    ...each,
    evidence: statedEvidence(environment, name, each),
  }))
  const without = new Set(settings?.without ?? [])
  const outside = externalServers(environment, name, chart)
  const annotated = (chart?.requires ?? []).filter(
    (each) => !without.has(each.release) && !outside.has(each.release),
  )
  const both = [...annotated, ...fromSettings.map((each) => ({...each, optional: false}))]
  return both.flatMap(({release, namespace, kind, optional, evidence}) => {
    const inEnvironment = namedReleaseIds(environment, release)
    const isForeign =
      namespace !== undefined && inEnvironment.every((id) => releaseNamespace(id) !== namespace)
    const targets = isForeign ? [releaseId(namespace, release)] : inEnvironment
    return targets.map((id) => ({requirement: {release: id, kind, evidence}, isForeign, optional}))
  })
}

/**
 * Returns the server releases that one of kk's own charts names but does not use, because the environment
 * specifies a server outside of the cluster. Releases that the file names, as a section or in `kk.releases`,
 * stay required.
 */
function externalServers(
  environment: Environment,
  name: string,
  chart: Chart | undefined,
): ReadonlySet<string> {
  const {sections, releases, parts} = environment
  const named = new Set(
    [...sections.keys(), ...releases.keys()].map((each) => parts?.get(each)?.section ?? each),
  )
  const servers = [...outsideServers(environment, name)].filter((server) => !named.has(server))
  const isRead = chart && servers.length > 0 && readDialectChart(chart).dialect === 'kk'
  return new Set(isRead ? servers : [])
}

function statedEvidence(environment: Environment, name: string, requirement: StatedRequirement): Evidence {
  const {release, kind, position} = requirement
  const text = `kk.releases.${name}.requires: ${kind === 'ready' ? release : `${release}:${kind}`}`
  return {source: 'environment', file: environment.file, ...(position && {line: position.line}), text}
}
