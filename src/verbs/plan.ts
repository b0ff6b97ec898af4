import type {Allowance} from '../base/allowance.ts'
import {asKkError} from '../base/errors.ts'
import {mapParallel} from '../base/parallel.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import type {DryRuns} from '../kubernetes/dry-run/dry-runs.ts'
import {describeCause} from '../kubernetes/gate/cause.ts'
import {failureCauses} from '../kubernetes/gate/health.ts'
import type {HealthChecks} from '../kubernetes/gate/health-checks.ts'
import {SCALED_DOWN} from '../kubernetes/gate/kinds/health.ts'
import {isRolledByNode, ROLL} from '../kubernetes/gate/node-roll.ts'
import type {KubernetesObject} from '../kubernetes/manifest/kubernetes-object.ts'
import {annotatedObjects, objectName, parseManifest} from '../kubernetes/manifest/manifest.ts'
import type {LiveObjects} from '../kubernetes/objects/live-objects.ts'
import {missingHookObjects} from '../kubernetes/objects/missing-hooks.ts'
import {lastRevisions} from '../kubernetes/records/record.ts'
import type {Records} from '../kubernetes/records/records.ts'
import type {ReleaseRecord, StoredRelease} from '../kubernetes/records/release-record.ts'
import {idleFeatureNotes} from '../overrides/features.ts'
import {largeNumberNotes, mergedValues} from '../overrides/layers.ts'
import {changesOf, droppedSets} from '../plan/changes/changes-of.ts'
import {withChanges, withDroppedSets, withNodeRolls, withVersions} from '../plan/changes/with-changes.ts'
import {driftReason} from '../plan/drift/drift-reason.ts'
import {expectStore} from '../plan/expectations/expect-store.ts'
import {hasPassed, readLabels} from '../plan/labels.ts'
import {makePlan, type PlanInputs} from '../plan/make-plan.ts'
import {type Action, type DeployKind, isChange, type Plan} from '../plan/plan.ts'
import type {PlanMode, PlanScope} from '../plan/scope.ts'
import {usesOf} from '../plan/uses/uses.ts'
import {preparedMask} from '../prepare/environment-mask.ts'
import {observedRecords} from '../prepare/observed-records.ts'
import {namedReleases, type Prepared} from '../prepare/prepare.ts'
import {previousRevisions} from '../prepare/previous-revisions.ts'
import {serversElsewhereNotes} from '../prepare/servers-elsewhere.ts'
import {settingNotes, tlsNotes} from '../prepare/setting-notes.ts'
import {expectSettings} from '../prepare/settings/expect-settings.ts'
import {stuckReleases, unseenNotes} from '../prepare/stuck-releases.ts'
import {type VisibleRevisions, visibleRevisions} from '../prepare/visible-revisions.ts'
import {redactor} from '../redact/redact.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../release.ts'
import {allowanceNotes, awayNodeNotes, returnedNodes} from './away-nodes.ts'
import {planCluster} from './cluster-of.ts'
import {driftedObjects} from './observation/drift.ts'
import {driverNotes} from './observation/present-drivers.ts'
import {replacedSecretNotes, replacedSecrets, type SecretInUse} from './secrets/replaced-secrets.ts'

/** A plan, and the last record of each of its releases, if there is one. */
export interface ObservedPlan {
  readonly plan: Plan<DeployKind>
  readonly records: ReadonlyMap<ReleaseId, ReleaseRecord>
  /** The revisions that each upgrade is compared with; see `previousRevisions`. */
  readonly previous: ReadonlyMap<ReleaseId, readonly StoredRelease[]>
  /** Passwords and keys in use that the plan would replace. */
  readonly secretsToReplace: readonly SecretInUse[]
}

/** The scope of a plan, and the notes to add. */
export interface PlanOptions extends PlanScope, Pick<PlanInputs, 'showForeign'> {
  /**
   * Add notes on missing or scaled-down objects of unchanged releases. Costs their records, a list of each
   * kind, and one of the pods and claims of namespaces with workloads.
   */
  readonly showMissing?: boolean
  /** The state that the plan is compared with, if it was already read. */
  readonly seen?: Promise<ObservedCluster> | undefined
}

/** The identity of a cluster, and its revisions. */
export type ObservedCluster = readonly [Plan['cluster'], VisibleRevisions]

/** Reads the state that an environment is compared with. */
export function observeCluster(
  cluster: Cluster,
  {graph, identity}: Pick<Prepared, 'graph' | 'identity'>,
): Promise<ObservedCluster> {
  return Promise.all([planCluster(cluster, identity), visibleRevisions(cluster, {releases: graph.releases})])
}

/**
 * Compares the environment with the cluster and returns the plan and the records that it was compared with.
 * Costs one list of records' metadata (or one for each namespace of the environment, if the whole cluster may
 * not be listed), one read of the cluster's identity, and the last record of each release to upgrade, to
 * determine the sufficient verb. Rejects as `expectSettings`, before any of these.
 */
export async function observedPlan(
  prepared: Prepared,
  cluster: Cluster,
  {names, install, correctDrift, showForeign = false, showMissing = false, seen: asked}: PlanOptions,
): Promise<ObservedPlan> {
  const {environment, graph, releases, store} = prepared
  const confNotes = await expectSettings(prepared)
  const mode: PlanMode =
    names.length === 0
      ? {kind: install ? 'all' : 'installed'}
      : {kind: 'named', releases: namedReleases(prepared, names), install}
  const [plansCluster, seen] = await (asked ?? observeCluster(cluster, prepared))
  const last = [...lastRevisions(seen.revisions).values()]
  const records = await observedRecords(cluster, last, (release) => graph.requirements.has(release))
  const desired = new Map([...releases].map(([release, each]) => [release, each.desired]))
  if (store && !store.isAdopted) {
    const uid = store.isThrowaway ? undefined : plansCluster.uid
    expectStore({store: store.identity, cluster: uid, environment: environment.name, desired, records})
  }
  const inputs: PlanInputs = {
    environment: environment.name,
    file: environment.file,
    cluster: plansCluster,
    graph,
    desired,
    records,
    revisions: seen.revisions,
    mode,
    showForeign,
  }
  const first = makePlan(inputs)
  const passed = new Set(records.filter(hasPassed).map(({release}) => release))
  const {stuck, unseen} = await stuckReleases(first, prepared, {cluster, passed})
  const drifted = correctDrift && (await driftedReleases(changeable(first, inputs), cluster))
  const decided = new Map([...(await returnedNodes(first, records, cluster)), ...stuck])
  const planned =
    decided.size === 0 && !drifted ? first : makePlan({...inputs, stuck: decided, ...(drifted && {drifted})})
  const previous = await previousRevisions(planned, cluster)
  const changes = [...previous].map(([release, stored]) => {
    const {desired, layers} = releases.get(release)!
    return [release, changesOf({desired, values: mergedValues(layers)}, stored)] as const
  })
  const dropped = [...previous].flatMap(([release, [last]]) => {
    const {desired, layers} = releases.get(release)!
    return last ? [[release, droppedSets({desired, values: mergedValues(layers)}, last)] as const] : []
  })
  const installed = [...previous].flatMap(([release, [last]]) =>
    last ? [[release, last.chart] as const] : [],
  )
  const changed = withChanges(withVersions(planned, new Map(installed)), new Map(changes))
  const rolled = [...previous].flatMap(([release, [last]]) => {
    const sets = last ? annotatedObjects(last.manifest, ROLL).filter(isRolledByNode) : []
    return sets.length > 0 ? [[release, sets.map(objectName)] as const] : []
  })
  const finalPlan = withNodeRolls(withDroppedSets(changed, new Map(dropped)), new Map(rolled))
  const secretsToReplace = await replacedSecrets(prepared, previous)
  const generated = newSecrets(finalPlan, prepared)
  const notes = [
    ...(finalPlan.notes ?? []),
    ...idleFeatureNotes(
      environment.features,
      [...releases.values()].flatMap(({layers}) => layers),
    ),
    ...[...releases].flatMap(([release, {layers}]) => largeNumberNotes(releaseName(release), layers)),
    ...settingNotes(prepared),
    ...confNotes,
    ...tlsNotes({releases, previous, uses: usesOf({revisions: records, wanted: graph})}),
    ...deprecatedNotes(finalPlan, prepared),
    ...(prepared.inferenceNotes ?? []),
    ...(prepared.secretNotes ?? []),
    ...replacedSecretNotes(secretsToReplace),
    ...(await driverNotes(toBeAdopted(finalPlan), cluster)),
    ...(seen.note === undefined ? [] : [seen.note]),
    ...unseenNotes(unseen),
    ...(await serversElsewhereNotes(prepared, records, cluster)),
    ...(await unhealthyNotes(finalPlan.actions, prepared, cluster)),
    ...allowanceNotes(finalPlan.actions, prepared),
    ...(await awayNodeNotes(finalPlan.actions, previous, cluster)),
    ...(showMissing ? await missingNotes(changeable(finalPlan, inputs), cluster) : []),
  ]
  return {
    plan: {
      ...finalPlan,
      ...(generated.length > 0 && {newSecrets: generated}),
      ...(notes.length > 0 && {notes}),
    },
    records: new Map(records.map((record) => [record.release, record])),
    previous,
    secretsToReplace,
  }
}

/** Returns the desired releases that kk did not install. */
function toBeAdopted({bystanders}: Plan): readonly ReleaseId[] {
  return bystanders.filter(({state}) => state === 'to-adopt').map(({release}) => release)
}

/** Returns a note for each release of a deprecated chart, with the deprecation notice of the chart. */
function deprecatedNotes({actions}: Plan, {releases}: Prepared): readonly string[] {
  return actions.flatMap(({release}) => {
    const text = releases.get(release)?.chart.deprecated
    return text === undefined
      ? []
      : [`the chart of ${releaseName(release)} is deprecated${text && `: ${text}`}`]
  })
}

/** Returns the names of the passwords and keys that the run of the plan generates. */
function newSecrets({actions}: Plan, {generated}: Prepared): readonly string[] {
  const changed = actions.filter(({kind}) => kind === 'install' || kind === 'upgrade')
  const names = changed.flatMap(({release}) =>
    (generated?.get(release) ?? [])
      .filter(({isNew}) => isNew)
      .map(({name}) => `${releaseNamespace(release)}/${name}`),
  )
  return [...new Set(names)]
}

/** Returns the actions of releases that this plan may change. */
function changeable({actions}: Plan, {environment, records, mode}: PlanInputs): readonly Action[] {
  const owned = new Set(
    records.filter(({labels}) => readLabels(labels)?.owner === environment).map(({release}) => release),
  )
  const isSelected = (release: ReleaseId) => mode.kind !== 'named' || mode.releases.includes(release)
  return actions.filter(({release}) => owned.has(release) && isSelected(release))
}

const UNCHANGED_KINDS: ReadonlySet<string> = new Set(['unchanged', 'relabel', 'await', 'check'])
/** Returns the unchanged releases of a plan whose objects drifted, with the reason to upgrade them. */
async function driftedReleases(
  actions: readonly Action[],
  cluster: {
    readonly records: Records
    readonly live: LiveObjects
    readonly dryRuns: DryRuns
    readonly health: HealthChecks
  },
): Promise<ReadonlyMap<ReleaseId, string>> {
  const candidates = actions.filter(({kind}) => UNCHANGED_KINDS.has(kind))
  const drifts = await mapParallel(candidates, async ({release, revision}) => {
    const stored = await cluster.records.stored(release, revision)
    return {release, objects: stored ? await driftedObjects(cluster, stored) : []}
  })
  return new Map(
    drifts.flatMap(({release, objects}) => {
      const reason = driftReason(objects)
      return reason === undefined ? [] : [[release, reason] as const]
    }),
  )
}

/** Returns notes on unchanged releases of a plan with missing or scaled-down objects. */
async function missingNotes(
  actions: readonly Action[],
  cluster: {readonly records: Records; readonly live: LiveObjects; readonly health: HealthChecks},
): Promise<readonly string[]> {
  const candidates = actions.filter(({kind}) => UNCHANGED_KINDS.has(kind))
  const notes = await mapParallel(candidates, async ({release, revision, kind}) => {
    const stored = await cluster.records.stored(release, revision)
    const objects = stored ? parseManifest(stored.manifest) : []
    const missing = [
      ...(await cluster.live.missing(releaseNamespace(release), objects)),
      ...(stored ? await missingHookObjects(cluster.live, stored) : []),
    ]
    // Releases that are only checked have a note on their health; see `unhealthyNotes`.
    const scaled = kind === 'check' ? [] : await scaledNotes(release, objects, cluster)
    if (missing.length === 0) return scaled
    const names = missing.map(objectName).join(', ')
    return [
      `${releaseName(release)} drifted: ${names} ${missing.length === 1 ? 'is' : 'are'} missing on the cluster, and this plan does not change that; with --correct-drift a deploy re-creates it`,
      ...scaled,
    ]
  })
  return notes.flat()
}

/** Returns a note for each workload scaled down; objects that cannot, or may not, be read are skipped. */
async function scaledNotes(
  release: ReleaseId,
  objects: readonly KubernetesObject[],
  cluster: {readonly health: HealthChecks},
): Promise<readonly string[]> {
  const workloads = objects.filter(({kind}) => SCALABLE.has(kind))
  if (workloads.length === 0) return []
  const health = await cluster.health.of(releaseNamespace(release), workloads).catch(() => undefined)
  const scaled = health ? failureCauses(health).filter(({reason}) => reason === SCALED_DOWN) : []
  return scaled.map(
    ({object, message}) => `${releaseName(release)}: ${object}: ${message}; this plan does not change that`,
  )
}

/** The kinds of workloads that can be scaled to 0. */
const SCALABLE: ReadonlySet<string> = new Set(['Deployment', 'StatefulSet', 'ReplicaSet'])

/**
 * Returns a note for each release that the plan only checks and that is not healthy now: the plan would fail
 * for a reason that already exists. Releases that cannot, or may not, be read are skipped.
 */
async function unhealthyNotes(
  actions: readonly Action[],
  prepared: Pick<Prepared, 'releases'>,
  cluster: {readonly records: Records; readonly health: HealthChecks},
): Promise<readonly string[]> {
  if (!actions.some(isChange)) return []
  const checked = actions.filter(
    (action) => action.kind === 'check' || (action.kind === 'relabel' && action.recheck),
  )
  const unhealthy = await mapParallel(checked, async ({release}) => {
    const why = await unhealthyReason(cluster, release, prepared.releases.get(release)?.unavailable)
    return why === undefined ? [] : [{release, why}]
  })
  const ill = unhealthy.flat()
  if (ill.length === 0) return []
  const mask = preparedMask(prepared)
  return ill.map(
    ({release, why}) =>
      `${releaseName(release)} is not healthy now, before anything changes, and must be afterwards: ${mask(why)}`,
  )
}

async function unhealthyReason(
  cluster: {readonly records: Records; readonly health: HealthChecks},
  release: ReleaseId,
  unavailable: Allowance | undefined,
): Promise<string | undefined> {
  try {
    const stored = await cluster.records.stored(release)
    if (!stored) return undefined
    const objects = parseManifest(stored.manifest)
    const options = {hasPassed: hasPassed(stored), unavailable}
    const health = await cluster.health.of(releaseNamespace(release), objects, options)
    const [first, ...otherBlames] = failureCauses(health)
    if (!first) return undefined
    const more = otherBlames.length === 0 ? '' : `, and ${otherBlames.length} more`
    return `${redactor(stored.values)(describeCause(first))}${more}`
  } catch (error) {
    const {code} = asKkError(error)
    if (code === 'KK_FORBIDDEN' || code === 'KK_RECORD') return undefined
    throw error
  }
}
