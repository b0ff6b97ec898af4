import type {Cluster, EveryRecord, KubernetesObject, ReleaseRecord} from '../../../cluster/cluster.ts'
import type {LeaseView} from '../../../cluster/lease/view.ts'
import {hookObjects, parseManifest} from '../../../cluster/manifest.ts'
import {mapParallel} from '../../../cluster/parallel.ts'
import {asKkError} from '../../../errors.ts'
import type {Helm} from '../../../helm/helm.ts'
import type {ObservedRecord} from '../../../plan/pending/evidence.ts'
import {livingRevisions} from '../../../plan/uses/observed.ts'
import type {ReleaseId} from '../../../release.ts'
import {observedRecords} from '../../preparation/observed-records.ts'
import type {Prepared} from '../../preparation/prepare.ts'
import {vendor} from '../../preparation/rendering/vendored.ts'

/** What the checks are given. */
export interface Subject {
  readonly env: NodeJS.ProcessEnv
  /** kk's own state directory. */
  readonly directory: string
  /** Throws what is wrong with the helm that would be used. */
  readonly helm: () => Promise<Pick<Helm, 'path' | 'version' | 'template'>>
  /** Undefined where none can be reached. */
  readonly cluster: Cluster | undefined
  readonly prepared: Prepared | undefined
  /** Milliseconds since the epoch. */
  readonly now: number
  /** What stands after the words of a kk command, so that it is about this environment and cluster. */
  readonly place: string
}

/** A record whose objects may exist, read. */
export type ReadRecord =
  | {
      readonly record: ReleaseRecord
      readonly bytes: number
      readonly objects: readonly KubernetesObject[]
      readonly hooks: readonly KubernetesObject[]
    }
  | {readonly record: ReleaseRecord; readonly unreadable: string}

/** The subject, and what several checks read of it; each is read once. */
export interface Examination extends Subject {
  /** The same, where there must be one. */
  readonly cluster: Cluster
  /** `kubectl` with the flags that mean this cluster. */
  readonly kubectl: string
  everyRecord(): Promise<EveryRecord>
  /** The last revision of each release, with who left it unfinished. */
  last(): Promise<readonly ObservedRecord[]>
  readRecords(): Promise<readonly ReadRecord[]>
  leases(): Promise<readonly LeaseView[]>
  /** What the charts of the environment render. */
  rendered(): Promise<ReadonlyMap<ReleaseId, readonly KubernetesObject[]>>
}

const READERS = 8
const RENDERERS = 4

export function factsOf(subject: Subject): Examination {
  // A check that needs a cluster is not begun without one.
  const cluster = subject.cluster!
  const everyRecord = once(() => cluster.everyRecord())
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
      return mapParallel(revisions.flatMap(livingRevisions), READERS, (record) => readOne(cluster, record))
    }),
    leases: once(() => cluster.leases()),
    rendered: once(() => renderEnvironment(subject)),
  }
  return facts
}

function once<T>(read: () => Promise<T>): () => Promise<T> {
  let answer: Promise<T> | undefined
  return () => {
    answer ??= read()
    return answer
  }
}

async function readOne(cluster: Cluster, record: ReleaseRecord): Promise<ReadRecord> {
  try {
    const stored = await cluster.stored(record.release, record.revision)
    if (!stored) return {record, bytes: 0, objects: [], hooks: []}
    const hooks = hookObjects(stored)
    return {record, bytes: stored.bytes ?? 0, objects: parseManifest(stored.manifest), hooks}
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
  const {version} = await cluster!.identity()
  const releases = [...prepared.releases.keys()]
  const vendored = await vendor(prepared, releases)
  try {
    const objects = await mapParallel(releases, RENDERERS, async (release) =>
      parseManifest(await helm.template(vendored.call(release), {kubeVersion: version})),
    )
    return new Map(releases.map((release, index) => [release, objects[index]!]))
  } finally {
    await vendored.remove()
  }
}

function kubectlOf(cluster: Cluster | undefined): string {
  if (!cluster) return 'kubectl'
  const file = cluster.kubeconfig === undefined ? [] : ['--kubeconfig', cluster.kubeconfig]
  return ['kubectl', ...file, '--context', cluster.context].join(' ')
}
