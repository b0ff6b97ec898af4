import {dig} from '../../base/dig.ts'
import {asKkError, type ErrorCode} from '../../base/errors.ts'
import {once} from '../../base/once.ts'
import {mapParallel} from '../../base/parallel.ts'
import {textAt, type Values} from '../../base/values.ts'
import type {Chart} from '../../charts/chart.ts'
import {readOwnFiles} from '../../charts/own-files.ts'
import type {ApiServer} from '../../kubernetes/api/api-server.ts'
import type {Diagnosis} from '../../kubernetes/diagnosis/diagnosis.ts'
import type {HealthChecks} from '../../kubernetes/gate/health-checks.ts'
import {isKeptInUpgrade, withoutHooks} from '../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {
  hookObjects,
  parseManifest,
  type RenderedObject,
  readableObjects,
} from '../../kubernetes/manifest/manifest.ts'
import type {LiveObjects} from '../../kubernetes/objects/live-objects.ts'
import {lastRevisions} from '../../kubernetes/records/record.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import type {ReleaseRecord, StoredRelease} from '../../kubernetes/records/release-record.ts'
import type {RunRecords} from '../../kubernetes/records/runs.ts'
import {mergedValues} from '../../overrides/layers.ts'
import {SERVERS} from '../../overrides/system/servers.ts'
import {imageChanges} from '../../plan/changes/images.ts'
import {gateOf, readLabels} from '../../plan/labels.ts'
import {droppedObjects} from '../../plan/leftovers/dropped.ts'
import {type ReplacedByHook, replacedByHooks} from '../../plan/leftovers/replaced-by-hooks.ts'
import type {Plan} from '../../plan/plan.ts'
import {liveRevisions} from '../../plan/uses/observed.ts'
import {isOutside} from '../../prepare/gathering/outside-servers.ts'
import type {Prepared, PreparedRelease} from '../../prepare/prepare.ts'
import type {Rendered} from '../../prepare/rendering/render.ts'
import {visibleRevisions} from '../../prepare/visible-revisions.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'

/** What helm does to releases: installs or upgrades, rolls back, or removes them. */
export type Changing = 'deploy' | 'rollback' | 'remove'

/** The input of the checks before a change. */
export interface Change {
  readonly changing: Changing
  readonly cluster: {
    /** The address of the API server. */
    readonly server: string
    readonly diagnosis: Diagnosis
    readonly apiServer: ApiServer
    readonly health: HealthChecks
    readonly live: Pick<LiveObjects, 'present'>
  }
  /** The releases that get a new revision. */
  readonly next: ReadonlyMap<ReleaseId, NextRevision>
  /** Objects of records that helm looks up; helm fails if the cluster does not serve one of their kinds. */
  readonly recorded: ReadonlyMap<ReleaseId, readonly KubernetesObject[]>
  /** The objects that helm deletes. */
  readonly toDelete: ReadonlyMap<ReleaseId, readonly KubernetesObject[]>
  /** The hooks whose objects are not hooks in the former revision; undefined if helm renders no chart. */
  readonly replaced?: ReadonlyMap<ReleaseId, readonly ReplacedByHook[]>
  /**
   * Returns the objects, including hooks, of unchanged releases that a changed one requires, that require a
   * changed one, or that create an object of the same kind and name.
   */
  readonly staying: () => Promise<OtherReleases>
  /** Returns the objects of all releases of the cluster, including the changed ones. */
  readonly present: () => Promise<OtherReleases>
  /** Returns the releases to install whose records are in another namespace. */
  readonly recordsElsewhere?: () => Promise<readonly ElsewhereRecord[]>
  /** The objects of `kk.given`, which exist without a chart of the environment. */
  readonly given: readonly string[]
  /** The releases that matter to an upgrade; undefined unless an image of a deployed release is replaced. */
  readonly upgrade?: UpgradeScope | undefined
  /**
   * Passwords and keys that kk would generate for accounts of an existing server that is not part of the
   * environment.
   */
  readonly strayKeys?: readonly StrayKey[]
}

export interface UpgradeScope {
  /** The releases that are changed, that these require, and that require them. */
  readonly near: ReadonlySet<ReleaseId>
  /** Those whose last change has not ended, because its gate has not passed, and those that require them. */
  readonly unfinished: ReadonlySet<ReleaseId>
}

/** A release, and the namespace of its record. */
interface ElsewhereRecord {
  readonly release: ReleaseId
  readonly namespace: string
}

/** A password or key, neither set nor stored, of a server that the environment does not run. */
interface StrayKey {
  readonly release: ReleaseId
  /** kk's own chart for such a server: `mariadb`. */
  readonly server: string
  /** The name under which kk would store it: `ceph_mon.glance.key`. */
  readonly name: string
  /** Its place among the values of the release. */
  readonly path: readonly string[]
  readonly value: string
}

export interface NextRevision {
  readonly objects: readonly RenderedObject[]
  /** The objects of the deployed revision; empty for a release that was never deployed. */
  readonly before: readonly KubernetesObject[]
  /** The hooks of that revision. */
  readonly hooksBefore: readonly KubernetesObject[]
  /** The section of the environment; of one of several releases of it, too. */
  readonly section?: string
  /** The migrations that the environment accepts. */
  readonly accepted?: readonly string[] | undefined
  /** The chart and its values; undefined for a revision that helm takes from a record. */
  readonly source?: {readonly chart: Chart; readonly values: Values}
}

/** Releases with the objects of their live revisions, from their records. */
export interface OtherReleases {
  readonly releases: readonly {readonly release: ReleaseId; readonly objects: readonly RenderedObject[]}[]
  /** What could not be read, as messages. */
  readonly unread: readonly string[]
}

/** A finding of a check: a reason to refuse the change, or a note on it. */
export interface CheckResult {
  readonly what: string
  /** The next step for the user. */
  readonly advice?: string | undefined
  /** The code of the refusal; undefined for a note. */
  readonly refusal?: ErrorCode
}

type Reads = {
  readonly server: string
  readonly records: Records
  readonly runs: RunRecords
  readonly diagnosis: Diagnosis
  readonly apiServer: ApiServer
  readonly health: HealthChecks
  readonly live: Pick<LiveObjects, 'present'>
}

interface Deploying {
  readonly prepared: Pick<Prepared, 'releases' | 'environment' | 'generated' | 'cachedRenders'>
  readonly plan: Plan
  readonly rendered: Rendered
  /** The revisions that each upgrade is compared with; see `previousRevisions`. */
  readonly previous: ReadonlyMap<ReleaseId, readonly StoredRelease[]>
  /** The last record of each release of the plan. */
  readonly records: ReadonlyMap<ReleaseId, ReleaseRecord>
  readonly cluster: Reads
}

/** Returns what a plan of installs and upgrades would change. */
export function deployChange({prepared, plan, rendered, previous, records, cluster}: Deploying): Change {
  const next = new Map(
    [...rendered].map(([release, objects]) => {
      const deployed = (previous.get(release) ?? []).find(({status}) => status === 'deployed')
      return [release, nextOf(prepared.releases.get(release)!, objects, deployed)] as const
    }),
  )
  const around = neighbours(plan, new Set(next.keys()))
  // Helm compares with the deployed revision, or with the last one if none is (Helm 4.2: upgrade.go
  // prepareUpgrade).
  const recorded = new Map(
    [...previous].map(([release, stored]) => [release, parseManifest(stored.at(-1)?.manifest ?? '')]),
  )
  // An install over existing objects deletes none of them, except hooks that it re-creates.
  const installs = new Set(plan.actions.filter(({kind}) => kind === 'install').map(({release}) => release))
  const upgraded = new Map([...previous].filter(([release]) => !installs.has(release)))
  const dropped = [...upgraded.keys()].map(
    (release) =>
      [release, deletedByUpgrade(release, recorded.get(release)!, rendered.get(release) ?? [])] as const,
  )
  return {
    changing: 'deploy',
    cluster,
    next,
    recorded,
    toDelete: new Map(dropped.filter(([release]) => rendered.has(release))),
    replaced: hooksReplacingObjects(rendered, upgraded),
    staying: lastObjectsReader(cluster, [...new Set([...around, ...namesakes(prepared, plan, rendered)])]),
    present: presentReader(
      cluster,
      plan.actions.map(({release}) => release),
    ),
    recordsElsewhere: () => recordsElsewhere(plan, cluster),
    given: prepared.environment.given,
    upgrade: replacesImages(next)
      ? {near: new Set([...next.keys(), ...around]), unfinished: unfinishedReleases(plan, records)}
      : undefined,
    strayKeys: strayKeys(prepared),
  }
}

/** Whether a change replaces an image of a deployed release. */
function replacesImages(next: Change['next']): boolean {
  return [...next.values()].some(({before, objects}) => {
    const after = objects.map(({object}) => object)
    return imageChanges(before, after).some(({from}) => from !== undefined)
  })
}

function unfinishedReleases({actions}: Plan, records: Deploying['records']): ReadonlySet<ReleaseId> {
  const isOpen = (record: ReleaseRecord) =>
    record.status !== 'deployed' ||
    gateOf(record) === 'not-passed' ||
    readLabels(record.labels)?.unchecked === record.revision
  const open = [...records.values()].filter(isOpen).map(({release}) => release)
  const unfinished = new Set(open)
  // The actions are in the order of requirements.
  for (const {release, requires} of actions)
    if (requires.some((edge) => unfinished.has(edge.release))) unfinished.add(release)
  return unfinished
}

/** Returns the hooks whose objects are not hooks in the revisions that upgrades are compared with. */
export function hooksReplacingObjects(
  rendered: Rendered,
  previous: Deploying['previous'],
): ReadonlyMap<ReleaseId, readonly ReplacedByHook[]> {
  const replaced = [...previous].map(([release, stored]) => {
    const before = stored.flatMap(({manifest}) => parseManifest(manifest))
    const helmChange = {namespace: releaseNamespace(release), verb: 'upgrade'} as const
    return [release, replacedByHooks(before, rendered.get(release) ?? [], helmChange)] as const
  })
  return new Map(replaced)
}

/** Returns the objects of one manifest that helm deletes in an upgrade to another. */
export function deletedByUpgrade(
  release: ReleaseId,
  before: readonly KubernetesObject[],
  after: readonly KubernetesObject[],
): readonly KubernetesObject[] {
  const dropped = droppedObjects(before, withoutHooks(after), releaseNamespace(release))
  return dropped.filter((object) => !isKeptInUpgrade(object))
}

/**
 * Finds records of new releases in other namespaces by their names, which are in the metadata of all records.
 */
async function recordsElsewhere({actions}: Plan, cluster: Reads): Promise<readonly ElsewhereRecord[]> {
  const installs = actions
    .filter(({kind, revision}) => kind === 'install' && revision === 0)
    .map(({release}) => release)
  if (installs.length === 0) return []
  const last = lastRevisions((await visibleRevisions(cluster, {releases: installs})).revisions)
  const namesakes = installs.flatMap((release) =>
    [...last.keys()]
      .filter((other) => other !== release && releaseName(other) === releaseName(release))
      .map((other) => ({release, other})),
  )
  const records = await mapParallel(namesakes, async ({release, other}) => {
    const stored = await cluster.records.stored(other)
    const isOfRelease = stored?.namespace === releaseNamespace(release)
    return isOfRelease ? [{release, namespace: releaseNamespace(other)}] : []
  })
  return records.flat()
}

function strayKeys({releases, generated = new Map()}: Deploying['prepared']): readonly StrayKey[] {
  const run = new Set([...releases.values()].map(({chart}) => chart.name))
  return [...generated].flatMap(([release, secrets]) => {
    const values = mergedValues(releases.get(release)!.layers)
    return secrets.flatMap(({name, path, isNew}) => {
      const server = isNew ? serverOf(name, values) : undefined
      const value = server === undefined || run.has(server) ? undefined : textAt(values, path)
      return value === undefined ? [] : [{release, server: server!, name, path, value}]
    })
  })
}

/**
 * Returns the chart whose server has the account of a password or key before any release is deployed: for
 * each key of a Ceph cluster, whose accounts exist, and for the administrator password of a server that is
 * configured as external.
 */
function serverOf(name: string, values: Values): string | undefined {
  if (/^ceph_mon\..+\.key$/.test(name)) return SERVERS.ceph_mon
  const [, type = ''] = /^(\w+)\.admin\.password$/.exec(name) ?? []
  const outside = [dig(values, 'endpoints', type), dig(values, 'global', 'endpoints', type)].some(isOutside)
  return outside ? SERVERS[type] : undefined
}

function nextOf(
  {chart, layers, desired, migrations}: PreparedRelease,
  objects: readonly KubernetesObject[],
  deployed: StoredRelease | undefined,
): NextRevision {
  const hasDefinitions = readOwnFiles(chart).some(
    ({path}) => /(?:^|\/)crds\//.test(path) || path.endsWith('.tgz'),
  )
  return {
    objects: objects.map((object) => ({
      object,
      // Only for CRDs it matters whether they are in `crds/`.
      file: hasDefinitions && object.kind === 'CustomResourceDefinition' ? 'crds/' : '',
    })),
    before: parseManifest(deployed?.manifest ?? ''),
    hooksBefore: deployed ? hookObjects(deployed) : [],
    section: releaseName(desired.part?.section ?? desired.release),
    accepted: migrations,
    source: {chart, values: mergedValues(layers)},
  }
}

/**
 * Returns the installed, unchanged releases of a plan that a changed one requires, or that require a changed
 * one.
 */
export function neighbours({actions}: Plan, changed: ReadonlySet<ReleaseId>): readonly ReleaseId[] {
  const required = new Set(
    actions
      .filter(({release}) => changed.has(release))
      .flatMap(({requires}) => requires.map((edge) => edge.release)),
  )
  return actions
    .filter(({release, revision}) => !changed.has(release) && revision > 0)
    .filter(
      ({release, requires}) => required.has(release) || requires.some((edge) => changed.has(edge.release)),
    )
    .map(({release}) => release)
}

/**
 * Returns the other releases of the environment that may create an object of the same kind and name as a
 * changed one. The renders of the inference show that without a request; a release that was not rendered may
 * create any object.
 */
function namesakes(
  {releases, cachedRenders}: Deploying['prepared'],
  {bystanders}: Plan,
  rendered: Rendered,
): readonly ReleaseId[] {
  const keyOf = (kind: string, name: string) => `${kind}/${name}`
  const renderedKeys = new Set(
    [...rendered.values()].flat().map(({kind, metadata}) => keyOf(kind, metadata.name)),
  )
  const unwanted = bystanders.filter(({state}) => state === 'no-longer-wanted').map(({release}) => release)
  return [...releases.keys(), ...unwanted].filter((release) => {
    if (rendered.has(release)) return false
    const facts = cachedRenders?.get(release)?.facts
    return !facts || facts.provided.objects.some(({kind, name}) => renderedKeys.has(keyOf(kind, name)))
  })
}

/** Returns a function that reads the objects of all releases visible to the user, once. */
export function presentReader(cluster: Reads, releases: readonly ReleaseId[]): Change['present'] {
  return once(async () => {
    const seen = await visibleRevisions(cluster, {releases})
    const own = Map.groupBy(seen.revisions, ({release}) => release)
    const live = [...own.values()].flatMap(liveRevisions)
    const {releases: read, unread} = await readObjects(cluster, live, ({manifest}) => manifest)
    return {releases: read, unread: [...(seen.note === undefined ? [] : [seen.note]), ...unread]}
  })
}

/** Returns a function that reads the objects of the last revisions of these releases, once. */
export function lastObjectsReader(
  cluster: {readonly records: Records},
  releases: readonly ReleaseId[],
): Change['staying'] {
  return once(() =>
    readObjects(
      cluster,
      releases.map((release) => ({release})),
      ({manifest, hooks}) => [manifest, ...hooks].join('\n---\n'),
    ),
  )
}

async function readObjects(
  cluster: {readonly records: Records},
  records: readonly {readonly release: ReleaseId; readonly revision?: number}[],
  textOf: (stored: StoredRelease) => string,
): Promise<OtherReleases> {
  const unread: string[] = []
  const releases = await mapParallel(records, async ({release, revision}) => {
    try {
      const stored = await cluster.records.stored(release, revision)
      const {objects, fault} = readableObjects(stored ? textOf(stored) : '')
      if (fault !== undefined) unread.push(`a document of ${release}: ${fault}`)
      return {release, objects: objects.map((object) => ({object, file: ''}))}
    } catch (error) {
      const {code, message} = asKkError(error)
      if (code === 'KK_BUG' || code === 'KK_UNREACHABLE') throw error
      unread.push(`${release}: ${message}`)
      return {release, objects: []}
    }
  })
  return {releases, unread}
}
