import {asKkError} from '../base/errors.ts'
import {once} from '../base/once.ts'
import {mapParallel} from '../base/parallel.ts'
import type {Helm} from '../helm/helm.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import type {LeaseView} from '../kubernetes/lease/view.ts'
import type {KubernetesObject} from '../kubernetes/manifest/kubernetes-object.ts'
import {parseManifest, readableObjects} from '../kubernetes/manifest/manifest.ts'
import type {EveryRecord, ReleaseRecord} from '../kubernetes/records/release-record.ts'
import type {ObservedRecord} from '../plan/pending/evidence.ts'
import {liveRevisions} from '../plan/uses/observed.ts'
import {observedRecords} from '../prepare/observed-records.ts'
import type {Prepared} from '../prepare/prepare.ts'
import {vendor} from '../prepare/rendering/vendored.ts'
import type {ReleaseId} from '../release.ts'

/** The input of the checks. */
export interface Subject {
  readonly env: NodeJS.ProcessEnv
  /** kk's own state directory. */
  readonly directory: string
  /** Opens helm. Throws the error of the helm that would be used. */
  readonly helm: () => Promise<Pick<Helm, 'path' | 'version' | 'template'>>
  /** The cluster; undefined if none can be reached. */
  readonly cluster: Cluster | undefined
  readonly prepared: Prepared | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
  /** The arguments after a kk command that name this environment and cluster. */
  readonly place: string
}

/** A record whose objects may exist, with its payload if that can be read. */
export type ReadRecord =
  | {
      readonly record: ReleaseRecord
      readonly bytes: number
      readonly objects: readonly KubernetesObject[]
      readonly hooks: readonly KubernetesObject[]
      /** The fault of a document that is not an object, and is not among these. */
      readonly fault?: string | undefined
    }
  | {readonly record: ReleaseRecord; readonly unreadable: string}

/** The subject, and the data that several checks read; each part is read once. */
export interface Examination extends Subject {
  /** The cluster; checks that need one do not run without. */
  readonly cluster: Cluster
  /** `kubectl` with the flags that select this cluster. */
  readonly kubectl: string
  everyRecord(): Promise<EveryRecord>
  /**
   * Returns the last revision of each release, with the evidence about the process that left it unfinished.
   */
  last(): Promise<readonly ObservedRecord[]>
  readRecords(): Promise<readonly ReadRecord[]>
  leases(): Promise<readonly LeaseView[]>
  /** Returns the objects that the charts of the environment render. */
  rendered(): Promise<ReadonlyMap<ReleaseId, readonly KubernetesObject[]>>
}

export function factsOf(subject: Subject): Examination {
  // A check that needs a cluster does not run without one.
  const cluster = subject.cluster!
  const everyRecord = once(() => cluster.records.every())
  const facts: Examination = {
    ...subject,
    cluster,
    kubectl: kubectlOf(subject.cluster),
    everyRecord,
    last: once(async () => {
      const {records} = await everyRecord()
      const last = [...Map.groupBy(records, ({release}) => release).values()].map((each) => each.at(-1)!)
      return observedRecords(cluster, last, () => true)
    }),
    readRecords: once(async () => {
      const {records} = await everyRecord()
      const revisions = [...Map.groupBy(records, ({release}) => release).values()]
      return mapParallel(revisions.flatMap(liveRevisions), (record) => readOne(cluster, record))
    }),
    leases: once(() => cluster.leases.list()),
    rendered: once(() => renderEnvironment(subject)),
  }
  return facts
}

async function readOne(cluster: Cluster, record: ReleaseRecord): Promise<ReadRecord> {
  try {
    const stored = await cluster.records.stored(record.release, record.revision)
    if (!stored) return {record, bytes: 0, objects: [], hooks: []}
    const {objects, fault} = readableObjects(stored.manifest)
    const hooks = stored.hooks.map(readableObjects)
    return {
      ...{record, bytes: stored.bytes ?? 0, objects, hooks: hooks.flatMap((hook) => hook.objects)},
      fault: fault ?? hooks.find((hook) => hook.fault !== undefined)?.fault,
    }
  } catch (error) {
    const {code, message} = asKkError(error)
    if (code !== 'KK_RECORD') throw error
    return {record, unreadable: message}
  }
}

async function renderEnvironment({
  prepared,
  helm: openHelm,
  cluster,
}: Subject): Promise<ReadonlyMap<ReleaseId, readonly KubernetesObject[]>> {
  if (!prepared) return new Map()
  const helm = await openHelm()
  const {version} = await cluster!.apiServer.identity()
  const releases = [...prepared.releases.keys()]
  const vendored = await vendor(prepared, releases)
  try {
    const objects = await mapParallel(releases, async (release) =>
      parseManifest(await helm.template(vendored.call(release), {kubeVersion: version})),
    )
    return new Map(releases.map((release, index) => [release, objects[index]!]))
  } finally {
    await vendored.remove()
  }
}

export function kubectlOf(
  cluster: Pick<Cluster, 'kubeconfig' | 'helmContext' | 'context'> | undefined,
): string {
  if (!cluster) return 'kubectl'
  const file = cluster.kubeconfig === undefined ? [] : ['--kubeconfig', cluster.kubeconfig]
  return ['kubectl', ...file, '--context', cluster.context].join(' ')
}
