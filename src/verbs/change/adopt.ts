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
  onlyUsed,
  otherUsers,
} from '../../plan/adoption.ts'
import {type ObjectChange, objectChanges} from '../../plan/changes/object-changes.ts'
import {type ValueChange, valueChanges} from '../../plan/changes/value-changes.ts'
import {inputsDigest} from '../../plan/digest.ts'
import {readLabels} from '../../plan/labels.ts'
import type {ObservedRecord} from '../../plan/pending/evidence.ts'
import type {Action, Plan} from '../../plan/plan.ts'
import {preparedMask} from '../../prepare/environment-mask.ts'
import {observedRecords} from '../../prepare/observed-records.ts'
import {throwPlaced} from '../../prepare/placed-problems.ts'
import {namedReleases, type Prepared} from '../../prepare/prepare.ts'
import {renderOnCluster} from '../../prepare/rendering/render-on-cluster.ts'
import {type Vendored, vendor} from '../../prepare/rendering/vendored.ts'
import {seenRecords} from '../../prepare/seen-records.ts'
import {redactObjects} from '../../redact/objects.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {RunEvent} from '../../run/events.ts'
import {type DesiredWork, desiredWork} from '../../run/task.ts'
import {clusterOf} from '../cluster-of.ts'
import {expectLetGo} from '../observation/present-drivers.ts'
import {livingSecrets, unstatedSecret} from '../secrets/living-secrets.ts'
import {type RunChoices, startRun} from './start-run.ts'

/** What an upgrade with this environment's chart and values would change of a release that kk did not install. */
export interface Adoption {
  readonly release: ReleaseId
  readonly revision: number
  /** Helm's word for that revision. */
  readonly status: string
  /** The environment that hands it over; absent for one that kk did not install. */
  readonly from?: string
  /** The tool to which it was handed over, and which gives it back. */
  readonly tool?: string
  /** Who uses it, and stays with another environment. */
  readonly users: readonly OtherUser[]
  readonly chart: {readonly name: string; readonly before: string; readonly after: string}
  readonly values: readonly ValueChange[]
  readonly objects: readonly ObjectChange[]
  /** Nothing of all that differs. */
  readonly same: boolean
}

/** Adoptions that are ready to be made. */
export interface PlannedAdoption {
  readonly plan: Plan
  readonly adoptions: readonly Adoption[]
  /** Those that were named, and are this environment's already. */
  readonly ours: readonly ReleaseId[]
  /** The manifests that differ, and what takes the secrets out of their text. */
  readonly diffs: readonly {
    readonly release: ReleaseId
    readonly before: readonly KubernetesObject[]
    readonly after: readonly KubernetesObject[]
  }[]
  readonly redact: ReturnType<typeof redactObjects>
  /** Why the next deploy would be refused, as far as that is known; a note says it, too. */
  readonly deployRefusal: KkError | undefined
  run(choices: RunChoices): AsyncIterable<RunEvent>
}

interface Ports {
  readonly cluster: Cluster
  readonly helm: Helm
}

/**
 * Compares releases that kk did not install, or that the environment `from` hands over, with what the environment makes
 * of them; changes nothing. Without names, what the file states of the environment `from`, or all where it has all of
 * that. Throws `KK_HANDED_OVER` while Flux drives one, what `adoptable`, `expectNamed` and `expectSameChart` throw, `KK_UNKNOWN_RELEASE`, `KK_RECORD`, and what a
 * chart has against its values.
 */
export async function planAdoption(
  prepared: Prepared,
  names: readonly string[],
  {from, ...ports}: Ports & {readonly from?: string | undefined},
): Promise<PlannedAdoption> {
  const {environment} = prepared
  const named =
    names.length === 0
      ? await ownedBy(from, prepared, ports.cluster)
      : new Set(namedReleases(prepared, names))
  const unknown = [...named].find((release) => !prepared.releases.has(release))
  if (unknown !== undefined) throw onlyUsed(unknown, environment.file)
  const {cluster} = ports
  const [plansCluster, seen] = await Promise.all([clusterOf(cluster), seenRecords(cluster, [...named])])
  const records = await observedRecords(cluster, seen.records, (release) => named.has(release))
  const recordOf = new Map(records.map((record) => [record.release, record]))
  const looked = [...named].map((release) => {
    const {desired} = prepared.releases.get(release)!
    return {desired, ...adoptable(desired, recordOf.get(release), from)}
  })
  const foreign = looked.filter(({isOurs}) => !isOurs).map(({record}) => record.release)
  const driverNotes = await expectLetGo(foreign, cluster)
  const users = otherUsers(new Set(foreign), records, environment.name)
  if (from !== undefined && names.length === 0) {
    const isProtected = (release: ReleaseId) =>
      prepared.releases.get(release)!.desired.protected ||
      readLabels(recordOf.get(release)!.labels)?.protected === true
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
    const tool = readLabels(recordOf.get(adoption.release)!.labels)?.exportedTo
    return {
      ...adoption,
      users: users.get(adoption.release)!,
      ...(from !== undefined && {from}),
      ...(tool !== undefined && {tool}),
    }
  })
  const previous = new Map(compared.map(({stored}) => [stored.release, [stored]]))
  const deployRefusal = unstatedSecret(await livingSecrets(prepared, previous))
  const plan: Plan<'adopt'> = {
    environment: environment.name,
    file: environment.file,
    cluster: plansCluster,
    actions: adoptions.map((adoption) => actionOf(adoption, prepared, recordOf)),
    bystanders: [],
    notes: [
      ...driverNotes,
      ...fluxNotes(compared),
      ...requirementNotes(foreign, prepared, recordOf),
      ...refusalNotes(deployRefusal),
    ],
  }
  return {
    plan,
    adoptions,
    ours: looked.filter(({isOurs}) => isOurs).map(({record}) => record.release),
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
          work: workOf(action.release, prepared),
        })),
        mask: preparedMask(prepared),
      }),
  }
}

/**
 * The releases of the file that belong to that environment: those that have a section or, when the environment has
 * nothing else, all: it is renamed. Throws `KK_NOT_INSTALLED` when there are none.
 */
async function ownedBy(
  from: string | undefined,
  {environment, releases, graph}: Prepared,
  cluster: Cluster,
): Promise<ReadonlySet<ReleaseId>> {
  const {records, note} = await seenRecords(cluster, [...releases.keys()])
  const isRenamed = from !== undefined && note === undefined && hasAllOf(from, graph, records)
  const found = records
    .filter(({release, labels}) => releases.has(release) && readLabels(labels)?.owner === from)
    .map(({release}) => release)
  const stated = found.filter((release) => releases.get(release)!.desired.stated)
  if (stated.length > 0) return new Set(isRenamed ? found : stated)
  throw new KkError(
    'KK_NOT_INSTALLED',
    `no section of ${environment.file} is of a release that belongs to the environment "${from}"`,
    {hint: `see what it has with kk status --owner ${from}; what is only required must be named`},
  )
}

interface Compared {
  readonly stored: StoredRelease
  readonly adoption: Omit<Adoption, 'users' | 'from' | 'tool'>
  readonly before: readonly KubernetesObject[]
  readonly after: readonly KubernetesObject[]
  /** Those that it was deployed with, and those that it would be. */
  readonly values: {readonly before: Values; readonly after: Values}
}

/** One after the other: few are named. */
async function compareAll(
  prepared: Prepared,
  releases: readonly ReleaseId[],
  ports: Ports & {readonly kubeVersion: string},
): Promise<readonly Compared[]> {
  const stored = new Map<ReleaseId, StoredRelease>()
  for (const release of releases) {
    const found = await ports.cluster.records.stored(release)
    if (!found)
      throw new KkError('KK_RACED', `${release} was removed meanwhile`, {hint: 'look again with kk plan'})
    expectSameChart(prepared.releases.get(release)!.desired, found)
    stored.set(release, found)
  }
  const vendored = await vendor(prepared, releases)
  try {
    const compared: Compared[] = []
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
): Promise<Compared> {
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
  }).catch((error: unknown) => throwPlaced(error, prepared.releases))
  const both = {before: values, after: call.values}
  const redact = redactObjects([...before, ...after], both)
  const changed = valueChanges(values, call.values, redact)
  const objects = objectChanges(before, after, releaseNamespace(release))
  const same = chart.version === stored.chart.version && changed.length === 0 && objects.length === 0
  const versions = {name: chart.name, before: stored.chart.version, after: chart.version}
  return {
    stored,
    adoption: {release, revision, status, chart: versions, values: changed, objects, same},
    before,
    after,
    values: both,
  }
}

function actionOf(
  {release, revision, same, from, tool}: Adoption,
  {releases}: Prepared,
  recordOf: ReadonlyMap<ReleaseId, ObservedRecord>,
): Action<'adopt'> {
  const {desired} = releases.get(release)!
  const owner = readLabels(recordOf.get(release)!.labels)?.owner
  const {name, version, appVersion} = desired.chart
  return {
    release,
    kind: 'adopt',
    reasons: [
      ...(tool === undefined ? [] : [`${tool} gives it back`]),
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

function workOf(release: ReleaseId, {releases}: Prepared): DesiredWork {
  const {desired, timeoutSeconds} = releases.get(release)!
  return desiredWork(desired, timeoutSeconds)
}

/** What adopting changes beside the record, of releases that Flux made. */
function fluxNotes(compared: readonly Pick<Compared, 'stored' | 'before'>[]): readonly string[] {
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
  return [`a deploy would be refused (${refusal.code}): ${refusal.message}; ${refusal.hint}`]
}

/** What is required, and would still keep a deploy from going on. */
function requirementNotes(
  releases: readonly ReleaseId[],
  {graph, releases: own}: Prepared,
  recordOf: ReadonlyMap<ReleaseId, ObservedRecord>,
): readonly string[] {
  const required = new Set(releases.flatMap((each) => graph.requirements.get(each)!.map(({to}) => to)))
  return [...required].flatMap((release) => {
    const record = recordOf.get(release)
    if (!own.has(release) || !record || readLabels(record.labels) || releases.includes(release)) return []
    const name = releaseName(release)
    return [
      `${name}, which is required, was not installed by kk either: deploy is refused until kk adopt ${name}`,
    ]
  })
}
