import {KkError} from '../../base/errors.ts'
import {type Leftover, leftovers} from '../../doctor/leftovers/leftovers.ts'
import type {ApplyMethod, DryApply, DryRuns} from '../../kubernetes/dry-run/dry-runs.ts'
import type {HealthChecks} from '../../kubernetes/gate/health-checks.ts'
import {isScaled, type ScaleTarget} from '../../kubernetes/gate/scale-targets.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {parseManifest} from '../../kubernetes/manifest/manifest.ts'
import type {LiveObjects} from '../../kubernetes/objects/live-objects.ts'
import {isPermanent} from '../../kubernetes/objects/missing.ts'
import {missingHookObjects} from '../../kubernetes/objects/missing-hooks.ts'
import type {Records} from '../../kubernetes/records/records.ts'
import type {ReleaseRecord, StoredRelease} from '../../kubernetes/records/release-record.ts'
import {type DriftedObject, driftedObject} from '../../plan/drift/drifted-object.ts'
import {type IgnoreRule, ignoredFields, withIgnoredAsLive} from '../../plan/drift/ignored.ts'
import {readLabels} from '../../plan/labels.ts'
import {comparedRevision} from '../../plan/leftovers/leftover-objects.ts'
import {withHelmMarks} from '../../plan/leftovers/ownership.ts'
import {redactSecretsOf} from '../../redact/objects.ts'
import {redactor} from '../../redact/redact.ts'
import {type ReleaseId, releaseNamespace} from '../../release.ts'

/** The differences between the live objects of a release and its manifest. */
export interface ReleaseDrift {
  readonly release: ReleaseId
  /** The revision whose manifest was compared: the last deployed one, else the last. */
  readonly revision: number
  /** The status that Helm records for that revision. */
  readonly status: string
  readonly objects: readonly DriftedObject[]
  /** Definitions in `crds/` of the chart that differ on the cluster: helm never updates them. */
  readonly crds: readonly DriftedObject[]
  readonly leftovers: readonly Leftover[]
  /** The tool to which the release was handed over: kk does not correct its drift. */
  readonly exportedTo?: string
  /** The reason why it could not be compared. */
  readonly problem?: string
}

type Reads = {
  readonly records: Records
  readonly live: LiveObjects
  readonly dryRuns: DryRuns
  readonly health: HealthChecks
}

interface Subject {
  readonly release: ReleaseId
  /** The records of all releases, as `Records.revisions` lists them. */
  readonly revisions: readonly ReleaseRecord[]
  /** The contents of the files in `crds/` of the chart; defaults to those in the record. */
  readonly crds: readonly string[] | undefined
}

/** Compares one release with the cluster by dry runs; changes nothing. */
export async function releaseDrift(
  cluster: Reads,
  {release, revisions, crds}: Subject,
): Promise<ReleaseDrift> {
  const record = comparedRevision(revisions.filter((each) => each.release === release))
  const {revision = 0, status = 'unknown'} = record ?? {}
  const exportedTo = record && readLabels(record.labels)?.exportedTo
  const nothing = {
    ...{release, revision, status, objects: [], crds: [], leftovers: []},
    ...(exportedTo !== undefined && {exportedTo}),
  }
  try {
    const stored = await cluster.records.stored(release, revision)
    if (!stored) return {...nothing, problem: 'its record is gone'}
    return {
      ...nothing,
      objects: await driftedObjects(cluster, stored),
      crds: await driftedDefinitions(cluster.dryRuns, crds ?? stored.crds ?? []),
      leftovers: await leftovers(cluster, release, revisions),
    }
  } catch (error) {
    if (!(error instanceof KkError) || (error.code !== 'KK_RECORD' && error.code !== 'KK_FORBIDDEN'))
      throw error
    return {...nothing, problem: error.message}
  }
}

interface Correction {
  readonly isMeant: (object: {readonly kind: string; readonly name: string}) => boolean
  /** The fields that keep their live values in the selected objects. */
  readonly ignore: readonly IgnoreRule[]
}

/**
 * Applies the manifest to the changed objects of a release, without a new revision and without hooks. Missing
 * objects are left to the next deploy. Replicas set by an autoscaler stay, unless they are 0, which
 * autoscalers do not change.
 */
export async function correctDrift(
  cluster: {
    readonly records: Records
    readonly health: HealthChecks
    readonly dryRuns: DryRuns
    readonly live: LiveObjects
  },
  {release, revision}: ReleaseDrift,
  {isMeant, ignore}: Correction,
): Promise<void> {
  const stored = await cluster.records.stored(release, revision)
  if (!stored) return
  const namespace = releaseNamespace(release)
  const objects = parseManifest(stored.manifest).filter(({kind, metadata}) =>
    isMeant({kind, name: metadata.name}),
  )
  const scaled = await cluster.health.scaleTargets(namespace)
  const method = applyMethodOf(stored)
  const written = objects.map((object) => withHelmMarks(object, release))
  const targets = written.filter(({kind, metadata: {name}}) => isScaled({kind, name}, undefined, scaled))
  const dry = targets.length === 0 ? [] : await cluster.dryRuns.apply({namespace, objects: targets, method})
  const scalerOwned = new Set(dry.filter((each) => isLeftToScalers(each, scaled)).map(({object}) => object))
  const marked = written.map((object) => (scalerOwned.has(object) ? withoutReplicas(object) : object))
  const desired =
    ignore.length === 0
      ? marked
      : leftAsIgnored(await cluster.dryRuns.apply({namespace, objects: marked, method}), {namespace, ignore})
  await cluster.live.correct({namespace, objects: desired, method, redact: redactor(stored.values)})
}

/** Returns the compared objects with ignored fields as live; missing or refused objects are skipped. */
function leftAsIgnored(
  dry: readonly DryApply[],
  {namespace, ignore}: {readonly namespace: string; readonly ignore: readonly IgnoreRule[]},
): readonly KubernetesObject[] {
  return dry.flatMap((each) => {
    if (each.state !== 'compared') return []
    const {kind, metadata} = each.object
    const named = {kind, name: metadata.name, namespace: metadata.namespace ?? namespace}
    return withIgnoredAsLive(each, ignoredFields(ignore, named))
  })
}

function applyMethodOf({applyMethod}: Pick<StoredRelease, 'applyMethod'>): ApplyMethod {
  return applyMethod === 'ssa' ? 'server-side' : 'client-side'
}

function isLeftToScalers(dry: DryApply, scaled: readonly ScaleTarget[]): boolean {
  const {kind, metadata} = dry.object
  const {replicas} = ((dry.state === 'compared' && dry.live['spec']) || {}) as {readonly replicas?: number}
  return isScaled({kind, name: metadata.name}, replicas, scaled)
}

function withoutReplicas(object: KubernetesObject): KubernetesObject {
  const {replicas: _, ...spec} = (object['spec'] ?? {}) as Readonly<Record<string, unknown>>
  return {...object, spec}
}

/**
 * Returns the objects that an apply of the manifest, as helm does it, would change, and missing objects of
 * hooks.
 */
export async function driftedObjects(
  cluster: Omit<Reads, 'records'>,
  stored: StoredRelease,
): Promise<readonly DriftedObject[]> {
  const namespace = releaseNamespace(stored.release)
  const objects = parseManifest(stored.manifest).map((object) => withHelmMarks(object, stored.release))
  const dry = await cluster.dryRuns.apply({namespace, objects, method: applyMethodOf(stored)})
  const scaled = dry.some(isScalable) ? await cluster.health.scaleTargets(namespace) : []
  const live = dry.flatMap((each) => (each.state === 'compared' ? [each.live] : []))
  const redact = redactSecretsOf([...objects, ...live], redactor(stored.values))
  const lasting = dry.filter(({state, object}) => state !== 'gone' || isPermanent(object))
  const hooks = (await missingHookObjects(cluster.live, stored)).map(
    (object) => ({object, state: 'gone', missing: 'object'}) as const,
  )
  return [...lasting, ...hooks].flatMap((each) => driftedObject(each, {namespace, scaled, redact}) ?? [])
}

/** Returns the definitions whose `spec` differs: helm creates them and never updates them. */
async function driftedDefinitions(
  dryRuns: DryRuns,
  files: readonly string[],
): Promise<readonly DriftedObject[]> {
  const objects = files.flatMap(parseManifest)
  const dry = await dryRuns.apply({namespace: '', objects, method: 'server-side'})
  const context = {namespace: '', scaled: [], redact: (text: string) => text}
  return dry.flatMap((each) => {
    const drifted = driftedObject(each, context)
    if (drifted?.state !== 'changed') return drifted ?? []
    const fields = drifted.fields.filter(({path}) => path.startsWith('spec'))
    return fields.length === 0 ? [] : [{...drifted, fields}]
  })
}

function isScalable({object}: DryApply): boolean {
  return (object.spec as {readonly replicas?: unknown} | null | undefined)?.replicas !== undefined
}

/** Returns true if there is any drift. */
export function hasDrift({objects, crds, leftovers}: ReleaseDrift): boolean {
  return objects.length + crds.length + leftovers.length > 0
}
