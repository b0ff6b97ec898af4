import {KkError} from '../../base/errors.ts'
import type {Values} from '../../base/values.ts'
import type {Helm} from '../../helm/helm.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {upgradedObjects} from '../../kubernetes/manifest/manifest.ts'
import {helmReleaseOf} from '../../kubernetes/objects/helm-release.ts'
import type {StoredRelease} from '../../kubernetes/records/release-record.ts'
import {
  adoptable,
  expectNamed,
  expectSameChart,
  hasAllOf,
  type OtherUser,
  otherUsers,
  usedWithoutChart,
} from '../../plan/adoption.ts'
import {type ObjectChange, objectChanges} from '../../plan/changes/object-changes.ts'
import {type ValueChange, valueChanges} from '../../plan/changes/value-changes.ts'
import {inputsDigest} from '../../plan/digest.ts'
import {readLabels} from '../../plan/labels.ts'
import type {ObservedRecord} from '../../plan/pending/evidence.ts'
import type {Action, Plan} from '../../plan/plan.ts'
import {preparedMask} from '../../prepare/environment-mask.ts'
import {observedRecords} from '../../prepare/observed-records.ts'
import {throwPositioned} from '../../prepare/positioned-problems.ts'
import {namedReleases, type Prepared} from '../../prepare/prepare.ts'
import {renderOnCluster} from '../../prepare/rendering/render-on-cluster.ts'
import {type Vendored, vendor} from '../../prepare/rendering/vendored.ts'
import {visibleRecords} from '../../prepare/visible-records.ts'
import {redactObjects} from '../../redact/objects.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {RunEvent} from '../../run/events.ts'
import {type DesiredWork, desiredWork} from '../../run/task.ts'
import {planCluster} from '../cluster-of.ts'
import {expectSuspended} from '../observation/present-drivers.ts'
import {replacedSecrets, unstatedSecret} from '../secrets/replaced-secrets.ts'
import {type RunChoices, startRun} from './start-run.ts'

/**
 * The changes of an upgrade with this environment's chart and values, for a release that kk did not install.
 */
export interface Adoption {
  readonly release: ReleaseId
  readonly revision: number
  /** Helm's status of that revision. */
  readonly status: string
  /** The environment that hands it over; absent for a release that kk did not install. */
  readonly from?: string
  /** The tool to which it was handed over, and which returns it. */
  readonly tool?: string
  /** The dependents that remain in another environment. */
  readonly users: readonly OtherUser[]
  readonly chart: {readonly name: string; readonly before: string; readonly after: string}
  readonly values: readonly ValueChange[]
  readonly objects: readonly ObjectChange[]
  /** Whether neither chart, values nor objects differ. */
  readonly same: boolean
}

/** Adoptions that are ready to run. */
export interface PlannedAdoption {
  readonly plan: Plan
  readonly adoptions: readonly Adoption[]
  /** Named releases that this environment already owns. */
  readonly alreadyOwned: readonly ReleaseId[]
  /** The manifests that differ, to be masked by `redact`. */
  readonly diffs: readonly {
    readonly release: ReleaseId
    readonly before: readonly KubernetesObject[]
    readonly after: readonly KubernetesObject[]
  }[]
  readonly redact: ReturnType<typeof redactObjects>
  /** Why the next deploy would fail, as far as that is known; a note reports it too. */
  readonly deployRefusal: KkError | undefined
  run(choices: RunChoices): AsyncIterable<RunEvent>
}

interface Ports {
  readonly cluster: Cluster
  readonly helm: Helm
}

/**
 * Compares releases that kk did not install, or that the environment `from` hands over, with the charts and
 * values of this environment; changes nothing. Without names, it compares the releases with a section in the
 * file that `from` owns, or all if `from` owns nothing else. Throws `KK_HANDED_OVER` while Flux manages one,
 * `KK_UNKNOWN_RELEASE`, `KK_RECORD`, the errors of `adoptable`, `expectNamed` and `expectSameChart`, and a
 * chart's errors for its values.
 */
export async function planAdoption(
  prepared: Prepared,
  names: readonly string[],
  {from, ...ports}: Ports & {readonly from?: string | undefined},
): Promise<PlannedAdoption> {
  const {environment} = prepared
  const named =
    names.length === 0
      ? await listOwned(from, prepared, ports.cluster)
      : new Set(namedReleases(prepared, names))
  const unknown = [...named].find((release) => !prepared.releases.has(release))
  if (unknown !== undefined) throw usedWithoutChart(unknown, environment.file)
  const {cluster} = ports
  const [plansCluster, seen] = await Promise.all([planCluster(cluster), visibleRecords(cluster, [...named])])
  const records = await observedRecords(cluster, seen.records, (release) => named.has(release))
  const recordByRelease = new Map(records.map((record) => [record.release, record]))
  const candidates = [...named].map((release) => {
    const {desired} = prepared.releases.get(release)!
    return {desired, ...adoptable(desired, recordByRelease.get(release), from)}
  })
  const foreign = candidates.filter(({isOurs}) => !isOurs).map(({record}) => record.release)
  const driverNotes = await expectSuspended(foreign, cluster)
  const users = otherUsers(new Set(foreign), records, environment.name)
  if (from !== undefined && names.length === 0) {
    const isProtected = (release: ReleaseId) =>
      prepared.releases.get(release)!.desired.protected ||
      readLabels(recordByRelease.get(release)!.labels)?.protected === true
    expectNamed(
      foreign.map((release) => ({
        release,
        isProtected: isProtected(release),
        users: users.get(release)!,
      })),
      from,
    )
  }
  const compared = await compareAll(prepared, foreign, {...ports, kubeVersion: plansCluster.version})
  const adoptions = compared.map(({adoption}): Adoption => {
    const tool = readLabels(recordByRelease.get(adoption.release)!.labels)?.exportedTo
    return {
      ...adoption,
      users: users.get(adoption.release)!,
      ...(from !== undefined && {from}),
      ...(tool !== undefined && {tool}),
    }
  })
  const previous = new Map(compared.map(({stored}) => [stored.release, [stored]]))
  const deployRefusal = unstatedSecret(await replacedSecrets(prepared, previous))
  const plan: Plan<'adopt'> = {
    environment: environment.name,
    file: environment.file,
    cluster: plansCluster,
    actions: adoptions.map((adoption) => adoptAction(adoption, prepared, recordByRelease)),
    bystanders: [],
    notes: [
      ...driverNotes,
      ...fluxNotes(compared),
      ...requirementNotes(foreign, prepared, recordByRelease),
      ...refusalNotes(deployRefusal),
    ],
  }
  return {
    plan,
    adoptions,
    alreadyOwned: candidates.filter(({isOurs}) => isOurs).map(({record}) => record.release),
    diffs: compared.map(({adoption: {release}, before, after}) => ({release, before, after})),
    redact: redactObjects(
      compared.flatMap(({before, after}) => [...before, ...after]),
      {given: compared.map(({values}) => values)},
    ),
    deployRefusal,
    run: (choices) =>
      startRun({
        ...choices,
        plan,
        ports,
        tasks: plan.actions.map((action) => ({
          kind: action.kind,
          action,
          work: adoptWork(action.release, prepared),
        })),
        mask: preparedMask(prepared),
      }),
  }
}

/**
 * Returns the releases of the file that the environment `from` owns: those with a section or, if `from` owns
 * nothing else, all, because the environment was renamed. Throws `KK_NOT_INSTALLED` if there are none.
 */
async function listOwned(
  from: string | undefined,
  {environment, releases, graph}: Prepared,
  cluster: Cluster,
): Promise<ReadonlySet<ReleaseId>> {
  const {records, note} = await visibleRecords(cluster, [...releases.keys()])
  const isRenamed = from !== undefined && note === undefined && hasAllOf(from, graph, records)
  const ownReleases = records
    .filter(({release, labels}) => releases.has(release) && readLabels(labels)?.owner === from)
    .map(({release}) => release)
  const withSection = ownReleases.filter((release) => releases.get(release)!.desired.stated)
  if (withSection.length > 0) return new Set(isRenamed ? ownReleases : withSection)
  throw new KkError(
    'KK_NOT_INSTALLED',
    `${environment.file} has no section of a release of the environment "${from}"`,
    {hint: `list its releases with kk status --owner ${from}; releases that are only required must be named`},
  )
}

interface ComparedRelease {
  readonly stored: StoredRelease
  readonly adoption: Omit<Adoption, 'users' | 'from' | 'tool'>
  readonly before: readonly KubernetesObject[]
  readonly after: readonly KubernetesObject[]
  /** The values of the last revision, and those of an upgrade. */
  readonly values: {readonly before: Values; readonly after: Values}
}

/** Compares releases in sequence, because few are named. */
async function compareAll(
  prepared: Prepared,
  releases: readonly ReleaseId[],
  ports: Ports & {readonly kubeVersion: string},
): Promise<readonly ComparedRelease[]> {
  const stored = new Map<ReleaseId, StoredRelease>()
  for (const release of releases) {
    const existing = await ports.cluster.records.stored(release)
    if (!existing)
      throw new KkError('KK_RACED', `${release} was removed in the meantime`, {hint: 'check with kk plan'})
    expectSameChart(prepared.releases.get(release)!.desired, existing)
    stored.set(release, existing)
  }
  const vendored = await vendor(prepared, releases)
  try {
    const compared: ComparedRelease[] = []
    for (const before of stored.values()) compared.push(await compare(before, {prepared, vendored, ...ports}))
    return compared
  } finally {
    await vendored.remove()
  }
}

interface Comparison extends Pick<Ports, 'helm' | 'cluster'> {
  readonly prepared: Prepared
  readonly vendored: Vendored
  readonly kubeVersion: string
}

async function compare(
  stored: StoredRelease,
  {prepared, vendored, helm, cluster, kubeVersion}: Comparison,
): Promise<ComparedRelease> {
  const {release, revision, status, values} = stored
  const {chart} = prepared.releases.get(release)!.desired
  const call = vendored.call(release)
  const before = upgradedObjects(stored)
  const apiVersions = vendored.asksKinds(release) ? await cluster.apiServer.customKinds() : []
  const after = await renderOnCluster(helm, call, {
    kubeVersion,
    isUpgrade: true,
    apiVersions,
    looksUp: vendored.looksUp(release),
    revision: vendored.asksRevision(release) ? revision : undefined,
  }).catch((error: unknown) => throwPositioned(error, prepared.releases))
  const bothValues = {before: values, after: call.values}
  const redact = redactObjects([...before, ...after], bothValues)
  const changed = valueChanges(values, call.values, redact)
  const objects = objectChanges(before, after, releaseNamespace(release))
  const same = chart.version === stored.chart.version && changed.length === 0 && objects.length === 0
  const versions = {name: chart.name, before: stored.chart.version, after: chart.version}
  return {
    stored,
    adoption: {release, revision, status, chart: versions, values: changed, objects, same},
    before,
    after,
    values: bothValues,
  }
}

function adoptAction(
  {release, revision, same, from, tool}: Adoption,
  {releases}: Prepared,
  recordByRelease: ReadonlyMap<ReleaseId, ObservedRecord>,
): Action<'adopt'> {
  const {desired} = releases.get(release)!
  const owner = readLabels(recordByRelease.get(release)!.labels)?.owner
  const {name, version, appVersion} = desired.chart
  return {
    release,
    kind: 'adopt',
    reasons: [
      ...(tool === undefined ? [] : [`${tool} returns it`]),
      ...(from === undefined ? [] : [`handed over by the environment "${from}"`]),
      ...(owner === undefined ? ['not installed by kk'] : []),
    ],
    ...(owner !== undefined && {from: owner}),
    chart: {name, version, appVersion},
    requires: [],
    group: [release],
    revision,
    inputs: same ? inputsDigest(desired) : '',
    protected: desired.protected,
  }
}

function adoptWork(release: ReleaseId, {releases}: Prepared): DesiredWork {
  const {desired, timeoutSeconds, unavailable} = releases.get(release)!
  return desiredWork(desired, timeoutSeconds, unavailable)
}

/** Returns the changes in addition to the record, for releases that Flux installed. */
function fluxNotes(compared: readonly Pick<ComparedRelease, 'stored' | 'before'>[]): readonly string[] {
  const names = compared
    .filter(({before}) => helmReleaseOf(before) !== undefined)
    .map(({stored}) => releaseName(stored.release))
  if (names.length === 0) return []
  return [
    `the fields that helm-controller manages of the objects of ${names.join(', ')} become helm's, so that a deploy may write them`,
  ]
}

function refusalNotes(refusal: KkError | undefined): readonly string[] {
  if (!refusal) return []
  return [`a deploy would fail (${refusal.code}): ${refusal.message}; ${refusal.hint}`]
}

/** Returns the required releases that would still block a deploy. */
function requirementNotes(
  releases: readonly ReleaseId[],
  {graph, releases: own}: Prepared,
  recordByRelease: ReadonlyMap<ReleaseId, ObservedRecord>,
): readonly string[] {
  const required = new Set(releases.flatMap((each) => graph.requirements.get(each)!.map(({to}) => to)))
  return [...required].flatMap((release) => {
    const record = recordByRelease.get(release)
    if (!own.has(release) || !record || readLabels(record.labels) || releases.includes(release)) return []
    const name = releaseName(release)
    return [`${name}, which is required, was not installed by kk either: deploy fails until kk adopt ${name}`]
  })
}
