import type {Cluster, KubernetesObject, StoredRelease} from '../../cluster/cluster.ts'
import {renderedObjects} from '../../cluster/records/rendered-objects.ts'
import {type Redact, redactSecretsOf} from '../../cluster/redact-secrets.ts'
import {KkError} from '../../errors.ts'
import type {Helm} from '../../helm/helm.ts'
import {redactor} from '../../helm/redact/redact.ts'
import {adoptable, expectSameChart, onlyUsed} from '../../plan/adoption.ts'
import {type ObjectChange, objectChanges} from '../../plan/changes/object-changes.ts'
import {type ValueChange, valueChanges} from '../../plan/changes/value-changes.ts'
import {inputsDigest} from '../../plan/digest.ts'
import {readLabels} from '../../plan/labels.ts'
import type {ObservedRecord} from '../../plan/pending/evidence.ts'
import type {Action, Plan} from '../../plan/plan.ts'
import {type ReleaseId, releaseName, releaseNamespace} from '../../release.ts'
import type {RunEvent} from '../../run/events.ts'
import {DEFAULT_TIMEOUT_SECONDS} from '../../run/execute/work.ts'
import {preparedMask} from '../environment-mask.ts'
import {observedRecords} from '../preparation/observed-records.ts'
import {throwPlaced} from '../preparation/placed-problems.ts'
import {namedRelease, type Prepared} from '../preparation/prepare.ts'
import {renderOnCluster} from '../preparation/rendering/render-on-cluster.ts'
import {type Vendored, vendor} from '../preparation/rendering/vendored.ts'
import {seenRecords} from '../preparation/seen-records.ts'
import {type RunChoices, startRun} from './start-run.ts'

/** What an upgrade with this environment's chart and values would change of a release that kk did not install. */
export interface Adoption {
  readonly release: ReleaseId
  readonly revision: number
  /** Helm's word for that revision. */
  readonly status: string
  /** The environment that hands it over; absent for one that kk did not install. */
  readonly from?: string
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
  readonly redact: Redact
  run(choices: RunChoices): AsyncIterable<RunEvent>
}

interface Ports {
  readonly cluster: Cluster
  readonly helm: Helm
}

/**
 * Compares releases that kk did not install, or that the environment `from` hands over, with what the environment makes
 * of them; changes nothing. Without names, all that the file has of the environment `from`. Throws what
 * `adoptable` and `expectSameChart` throw, `KK_UNKNOWN_RELEASE`, `KK_RECORD`, and what a chart has against its values.
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
      : new Set(names.map((name) => namedRelease(prepared, name)))
  const unknown = [...named].find((release) => !prepared.releases.has(release))
  if (unknown !== undefined) throw onlyUsed(unknown, environment.file)
  const {cluster} = ports
  const [identity, seen] = await Promise.all([cluster.identity(), seenRecords(cluster, [...named])])
  const records = await observedRecords(cluster, seen.records, (release) => named.has(release))
  const recordOf = new Map(records.map((record) => [record.release, record]))
  const looked = [...named].map((release) => {
    const {desired} = prepared.releases.get(release)!
    return {desired, ...adoptable(desired, recordOf.get(release), from)}
  })
  const foreign = looked.filter(({isOurs}) => !isOurs).map(({record}) => record.release)
  const compared = await compareAll(prepared, foreign, {...ports, kubeVersion: identity.version})
  const adoptions = compared.map(({adoption}) => ({...adoption, ...(from !== undefined && {from})}))
  const plan: Plan = {
    environment: environment.name,
    file: environment.file,
    cluster: {context: cluster.context, server: cluster.server, ...identity},
    actions: adoptions.map((adoption) => actionOf(adoption, prepared)),
    bystanders: [],
    notes: requirementNotes(foreign, prepared, recordOf),
  }
  return {
    plan,
    adoptions,
    ours: looked.filter(({isOurs}) => isOurs).map(({record}) => record.release),
    diffs: compared.map(({adoption: {release}, before, after}) => ({release, before, after})),
    redact: (text) => compared.reduce((cleaned, {redact}) => redact(cleaned), text),
    run: (choices) =>
      startRun({
        ...choices,
        plan,
        ports,
        work: (release) => workOf(release, prepared),
        mask: preparedMask(prepared),
      }),
  }
}

/** The releases of the file that belong to that environment. Throws `KK_NOT_INSTALLED` when none does. */
async function ownedBy(
  from: string | undefined,
  {environment, releases}: Prepared,
  cluster: Cluster,
): Promise<ReadonlySet<ReleaseId>> {
  const {records} = await seenRecords(cluster, [...releases.keys()])
  const owned = records.filter(({labels}) => readLabels(labels)?.owner === from)
  const found = owned.map(({release}) => release).filter((release) => releases.has(release))
  if (found.length > 0) return new Set(found)
  throw new KkError(
    'KK_NOT_INSTALLED',
    `no release of ${environment.file} belongs to the environment "${from}"`,
    {hint: `see whose they are with kk status --owner ${from}`},
  )
}

interface Compared {
  readonly adoption: Adoption
  readonly before: readonly KubernetesObject[]
  readonly after: readonly KubernetesObject[]
  readonly redact: Redact
}

/** One after the other: few are named. */
async function compareAll(
  prepared: Prepared,
  releases: readonly ReleaseId[],
  ports: Ports & {readonly kubeVersion: string},
): Promise<readonly Compared[]> {
  const stored = new Map<ReleaseId, StoredRelease>()
  for (const release of releases) {
    const found = await ports.cluster.stored(release)
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
  const before = renderedObjects(stored)
  const apiVersions = vendored.asksKinds(release) ? await cluster.customKinds() : []
  const after = await renderOnCluster(helm, call, {
    kubeVersion,
    isUpgrade: true,
    apiVersions,
    looksUp: vendored.looksUp(release),
    revision: vendored.asksRevision(release) ? revision : undefined,
  }).catch((error: unknown) => throwPlaced(error, prepared.releases))
  const redact = redactSecretsOf([...before, ...after], redactor({before: values, after: call.values}))
  const changed = valueChanges(values, call.values, redact)
  const objects = objectChanges(before, after, releaseNamespace(release))
  const same = chart.version === stored.chart.version && changed.length === 0 && objects.length === 0
  const versions = {name: chart.name, before: stored.chart.version, after: chart.version}
  return {
    adoption: {release, revision, status, chart: versions, values: changed, objects, same},
    before,
    after,
    redact,
  }
}

function actionOf({release, revision, same, from}: Adoption, {releases}: Prepared): Action {
  const {desired} = releases.get(release)!
  const {name, version, appVersion} = desired.chart
  return {
    release,
    kind: 'adopt',
    reasons: [from === undefined ? 'not installed by kk' : `handed over by the environment "${from}"`],
    ...(from !== undefined && {from}),
    chart: {name, version, appVersion},
    requires: [],
    group: [release],
    revision,
    inputs: same ? inputsDigest(desired) : '',
    protected: desired.protected,
  }
}

function workOf(release: ReleaseId, {releases}: Prepared) {
  const {desired, timeoutSeconds = DEFAULT_TIMEOUT_SECONDS} = releases.get(release)!
  return {desired, chart: '', values: {}, timeoutSeconds, objects: [], dropped: [], unvalidated: []}
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
