import {rm} from 'node:fs/promises'
import {join} from 'node:path'
import {isDeepStrictEqual} from 'node:util'
import {asKkError, type KkError} from '../../base/errors.ts'
import {mapParallel} from '../../base/parallel.ts'
import type {Chart} from '../../charts/chart.ts'
import {valuesFault} from '../../charts/default-values.ts'
import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import type {DryRuns} from '../../kubernetes/dry-run/dry-runs.ts'
import {definedKinds} from '../../kubernetes/inventory/custom-kinds.ts'
import {isHook} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {objectName, type RenderedObject} from '../../kubernetes/manifest/manifest.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import {unreadPaths} from '../../overrides/system/reads.ts'
import {layersKey} from '../../prepare/inference/cached-renders.ts'
import {positionedError} from '../../prepare/positioned-problems.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {renderByKinds} from '../../prepare/rendering/render-by-kinds.ts'
import type {Renderer} from '../../prepare/rendering/render-on-cluster.ts'
import {type Vendored, vendor} from '../../prepare/rendering/vendored.ts'
import {type ConfCoverage, confCoverage, type Settings} from '../../prepare/settings/conf-problems.ts'
import {settingProblems} from '../../prepare/settings/expect-settings.ts'
import {hasSchema} from '../../prepare/settings/key-problems.ts'
import {allowAdvice} from '../../prepare/settings/setting-problem.ts'
import {type ReleaseId, releaseName} from '../../release.ts'
import type {ChartFault} from './chart-fault.ts'
import {examineAccounts} from './checks/accounts/accounts.ts'
import {claimedTwice} from './checks/claimed-twice.ts'
import {deadlocks} from './checks/deadlocks/deadlocks.ts'
import {touchedFields} from './checks/immutable-fields/fields.ts'
import {immutableFields} from './checks/immutable-fields/immutable-fields.ts'
import {undoing} from './checks/immutable-fields/undoing.ts'
import {hasOtherTemplate, jobNames} from './checks/job-names.ts'
import {missingKinds} from './checks/missing-kinds.ts'
import {recreatedData} from './checks/recreated-data.ts'
import {unserved} from './checks/unserved.ts'
import {untouchedDefinitions} from './checks/untouched-definitions.ts'
import {valuesDiffer} from './checks/values-differ.ts'
import {examineRelease, RANDOM, type Renderers, renderNow} from './examine-release.ts'
import type {ExaminedRelease} from './examined-release.ts'
import {bumpVersion, nextObjects} from './next-version.ts'
import {readCluster} from './place.ts'
import {withRefusals} from './refusals.ts'
import {identity, pairObjects} from './same-object.ts'
import {type Templates, templatesOf} from './templates.ts'

const CHECKS = [
  ...[randomValues, jobNames, immutableFields],
  ...[refusedChanges, untouchedDefinitions, recreatedData],
] as const

interface Examining {
  readonly helm: Renderer
  /** If set, deployed objects are compared with the rendered ones. */
  readonly cluster?:
    | {readonly apiServer: ApiServer; readonly records: Records; readonly dryRuns: DryRuns}
    | undefined
}

interface ExaminedCharts {
  readonly faults: readonly ChartFault[]
  readonly coverage: ChartsCoverage
}

/** What was examined. What is missing here was not. */
export interface ChartsCoverage {
  readonly values: ConfCoverage & {
    /** The number of charts whose schemas the keys are compared with. */
    readonly schemas: number
    /** The releases whose charts have no schema. */
    readonly withoutSchema: readonly string[]
  }
  readonly references: {readonly requirements: number}
  readonly charts: {readonly releases: number; readonly rendered: number; readonly objects: number}
  readonly accounts: {readonly compared: number}
  readonly cluster?: {readonly deployed: number}
}

/**
 * Returns the faults of the charts of an environment before anything is changed. It examines what each chart
 * renders, which of that differs when it is rendered again, and what its next version renders with other
 * images. `prepared` must have been inferred tolerantly.
 */
export async function examineCharts(prepared: Prepared, {helm, cluster}: Examining): Promise<ExaminedCharts> {
  const faultOf = ([release, {chart}]: [ReleaseId, {readonly chart: Chart}]) => {
    const fault = valuesFault(chart.directory)
    return fault ? [brokenChart(release, fault)] : []
  }
  const unreadable = [...prepared.releases].flatMap(faultOf)
  const releases = [...prepared.releases.keys()].filter((each) =>
    unreadable.every(({release}) => release !== each),
  )
  const place = await readCluster(releases, cluster)
  const copies: Vendored[] = []
  const copied = async (some: readonly ReleaseId[]) => {
    const copy = await vendor(prepared, some, {ignoreKubernetesVersion: !cluster})
    copies.push(copy)
    return copy
  }
  try {
    const now = await copied(releases)
    const templates = memoized((release: ReleaseId) => templatesOf(now.call(release).chart))
    const isUnknown = (release: ReleaseId) => {
      const {chart, values} = now.call(release)
      return nextObjects(chart, values, {objects: [], templates: templates(release)}) === undefined
    }
    const later = releases.filter(isUnknown)
    const random = releases.filter((release) => templates(release).reaching(RANDOM).size > 0)
    const [next, randomCopies] = [await copied(later), await copied(random)]
    for (const copy of chartsOf(later, next).keys()) await bumpVersion(copy)
    for (const [copy, release] of chartsOf(random, randomCopies)) await keepRandom(copy, templates(release))
    const cachedObjects = (release: ReleaseId) => {
      const cached = prepared.cachedRenders?.get(release)
      return cached?.layers === layersKey(prepared.releases.get(release)!.layers)
        ? cached.rendered
        : undefined
    }
    const renderers = {now, next, randomCharts: randomCopies, templates, cachedObjects, place, helm}
    const {examined: rendered, faults} = await examineAll(releases, renderers, prepared)
    const readable = [...prepared.releases].filter(([release]) => releases.includes(release))
    const settings = await settingFaults({...prepared, releases: new Map(readable)})
    const valuesOf = (release: ReleaseId) => now.call(release).values
    const examined = await withRefusals(rendered, {cluster, valuesOf})
    const ofAccounts = examineAccounts(examined)
    const all = [
      ...unusable(prepared),
      ...unreadable,
      ...settings,
      ...unreported(faults, settings),
      ...unserved(prepared),
      ...examined.flatMap((each) => CHECKS.flatMap((check) => check(each))),
      ...examined.flatMap((each) => missingKinds(each, place.kinds)),
      ...deadlocks(examined, prepared.environment.given),
      ...claimedTwice(examined),
      ...ofAccounts.faults,
      ...valuesDiffer(prepared, examined),
      ...unreadOverrides(prepared),
    ]
    const coverage = {
      values: await valuesCoverage(prepared),
      references: {requirements: [...prepared.graph.requirements.values()].flat().length},
      charts: {
        releases: prepared.releases.size + (prepared.unusable?.size ?? 0),
        rendered: examined.length,
        objects: examined.flatMap(({objects}) => objects).length,
      },
      accounts: {compared: ofAccounts.compared},
      ...(cluster && {cluster: {deployed: place.deployed.size}}),
    }
    return {faults: LEVELS.flatMap((level) => all.filter((fault) => fault.level === level)), coverage}
  } finally {
    await Promise.all(copies.map((copy) => copy.remove()))
  }
}

/** The levels of faults, worst first. */
const LEVELS = ['problem', 'warning', 'info', 'ok'] as const

/** Returns what the checks of values compare, also for an environment whose charts are not rendered. */
export async function valuesCoverage(prepared: Settings): Promise<ChartsCoverage['values']> {
  const schemaless = [...prepared.releases].filter(([, {chart}]) => !hasSchema(chart))
  return {
    ...(await confCoverage(prepared)),
    schemas: prepared.releases.size - schemaless.length,
    withoutSchema: schemaless.map(([release]) => releaseName(release)),
  }
}

/** Returns the charts that are missing or cannot be used, with the releases that require them. */
function unusable({
  unusable = new Map(),
  graph,
}: Pick<Prepared, 'unusable' | 'graph'>): readonly ChartFault[] {
  return [...unusable].map(([release, error]) => {
    const edges = [...graph.requirements.values()].flat().filter(({to}) => to === release)
    const names = edges.map(({from, evidence: [first]}) => {
      const place = first && ` (${first.file}${first.line === undefined ? '' : `:${first.line}`})`
      return `${releaseName(from)} requires it${place ?? ''}`
    })
    const {what, ...fault} = brokenChart(release, error)
    return names.length === 0
      ? {...fault, what}
      : {...fault, check: 'requirements', what: `${what}; ${names.join(', ')}`}
  })
}

/** Returns the copies of the charts, each with one of its releases. */
function chartsOf(releases: readonly ReleaseId[], {call}: Vendored): ReadonlyMap<string, ReleaseId> {
  return new Map(releases.map((release) => [call(release).chart, release]))
}

/** Removes from a copy all templates that render the same each time. */
async function keepRandom(copy: string, templates: Templates): Promise<void> {
  const random = templates.reaching(RANDOM)
  const deterministic = templates.files.filter((path) => !random.has(path))
  for (const path of deterministic) await rm(join(copy, path), {force: true})
}

function memoized<Key, Value>(make: (key: Key) => Value): (key: Key) => Value {
  const cache = new Map<Key, Value>()
  return (key) => {
    const value = cache.get(key) ?? make(key)
    cache.set(key, value)
    return value
  }
}

interface Examined {
  readonly examined: readonly ExaminedRelease[]
  /** The faults of releases that do not render. */
  readonly faults: readonly ChartFault[]
}

/** The objects that a chart renders, or its error. */
type Outcome = readonly RenderedObject[] | KkError

/**
 * Renders and examines releases; charts that query API versions get those of the cluster and those that these
 * charts define.
 */
async function examineAll(
  releases: readonly ReleaseId[],
  renderers: Renderers,
  prepared: Pick<Prepared, 'releases'>,
): Promise<Examined> {
  const locate = async (error: unknown) => asKkError(await positionedError(error, prepared.releases))
  const {now, place} = renderers
  const knowing = (defined: readonly string[]) => [...new Set([...place.kinds, ...defined])].sort()
  const outcomes = await renderByKinds<ReleaseId, Outcome>(releases, {
    asks: now.asksKinds,
    definedBy: kindsDefinedBy,
    render: async (some, defined = []) =>
      new Map(
        await mapParallel(some, async (release) => {
          const outcome = renderNow(release, knowing(defined), renderers)
          return [release, await outcome.catch(locate)] as const
        }),
      ),
  })
  const kinds = knowing(kindsDefinedBy([...outcomes.values()]))
  const examined = await mapParallel(releases, async (release) => {
    const outcome = outcomes.get(release)!
    if ('code' in outcome) return brokenChart(release, outcome)
    return examineRelease(release, outcome, kinds, renderers).catch(async (error: unknown) =>
      brokenChart(release, await locate(error)),
    )
  })
  return {
    examined: examined.filter((each) => 'objects' in each),
    faults: examined.filter((each) => 'check' in each),
  }
}

function kindsDefinedBy(outcomes: readonly Outcome[]): readonly string[] {
  return definedKinds(outcomes.flatMap((each) => ('code' in each ? [] : each.map(({object}) => object))))
}

function brokenChart(release: ReleaseId, {code, message, hint}: KkError): ChartFault {
  return {
    check: 'rendering',
    level: 'problem',
    release,
    what: `${message} (${code})`,
    ...(hint !== undefined && {advice: hint}),
  }
}

/** Returns the values that users set and no chart or service reads. */
export async function settingFaults(prepared: Settings): Promise<readonly ChartFault[]> {
  const problems = await settingProblems(prepared, {keys: true})
  return problems.map(({release, level, what, allow}) => ({
    ...{check: 'settings', level, release, what},
    ...(allow !== undefined && {advice: allowAdvice([allow])}),
  }))
}

/**
 * Returns the faults of rendering without lines that were reported before: a wrong value below `global`
 * breaks every chart.
 */
function unreported(faults: readonly ChartFault[], settings: readonly ChartFault[]): readonly ChartFault[] {
  const reported = new Set(settings.map(({what}) => what))
  return faults.flatMap((fault) => {
    const [summary = '', ...lines] = fault.what.split('\n')
    const fresh = lines.filter((line) => !reported.has(problemOf(line)))
    for (const line of fresh) reported.add(problemOf(line))
    return lines.length > 0 && fresh.length === 0 ? [] : [{...fault, what: [summary, ...fresh].join('\n')}]
  })
}

function problemOf(line: string): string {
  return line.trim().replace(/ \(KK_\w+\)$/, '')
}

/** Returns the system overrides that the chart does not read: settings that have no effect. */
export function unreadOverrides({
  releases,
  plugins,
}: Pick<Prepared, 'releases' | 'plugins'>): readonly ChartFault[] {
  return [...releases].flatMap(([release, {chart, layers}]): readonly ChartFault[] => {
    const spoken = plugins.dialectChart(chart)
    const system = layers.filter(({name}) => name === 'system')
    if (spoken.dialect === undefined || system.length === 0) return []
    const unread = system.flatMap(({values}) => unreadPaths(spoken, values)).map((path) => path.join('.'))
    if (unread.length === 0) return []
    const what = `system overrides set values that ${releaseName(release)} does not read: ${unread.join(', ')}`
    return [{check: 'overrides', level: 'info', release, what}]
  })
}

/** Returns the other changes of objects that the cluster refuses, with its own message. */
function refusedChanges({release, deployed}: ExaminedRelease): readonly ChartFault[] {
  const refusals = deployed?.refusals
  if (!refusals) return []
  return pairObjects(deployed.upgrade, deployed.objects, release).flatMap(([now, live]) => {
    const {object, file} = now
    const message = refusals.get(identity(object, release))
    const isReported = touchedFields(live.object, object).length > 0 || hasOtherTemplate(now, live)
    if (message === undefined || isReported || isHook(object)) return []
    return [
      {
        check: 'refused changes',
        level: 'problem' as const,
        release,
        object: objectName(object),
        file,
        what: `the cluster refuses ${objectName(object)}, which differs from the deployed revision ${deployed.revision}: ${message}`,
        advice: undoing(object),
      },
    ]
  })
}

/**
 * Returns the objects that differ between two renders with the same values, so that every upgrade changes
 * them. Templates that use lookup without a cluster are skipped, because they may reuse existing values.
 */
function randomValues({
  release,
  objects,
  secondRender,
  lookingUp,
}: Pick<ExaminedRelease, 'release' | 'objects' | 'secondRender' | 'lookingUp'>): readonly ChartFault[] {
  if (secondRender === objects) return []
  return pairObjects(objects, secondRender, release)
    .filter(([{file}]) => !lookingUp?.has(file))
    .map(([one, other]) => ({...one, keys: differingKeys(one.object, other.object)}))
    .filter(({keys}) => keys.length > 0)
    .map(({object, file, keys}) => ({
      check: 'random values',
      level: 'warning',
      release,
      object: objectName(object),
      file,
      what: `${objectName(object)} differs from render to render, in ${keys.join(', ')}: every upgrade changes it`,
      advice: 'set the value in the section of the release, so that the chart does not generate one',
    }))
}

function differingKeys(one: KubernetesObject, other: KubernetesObject): readonly string[] {
  return Object.keys(one).filter((key) => !isDeepStrictEqual(one[key], other[key]))
}
