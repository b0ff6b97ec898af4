import {gunzipSync} from 'node:zlib'
import {
  GATED_LABEL,
  INPUTS_LABEL,
  INSTALLATION_LABEL,
  OWNER_LABEL,
  REVISION_LABEL,
  RUN_LABEL,
  usesLabel,
} from '../../../src/plan/labels.ts'
import {releaseId} from '../../../src/release.ts'
import {get} from '../../e2e/support/cluster.ts'

/** What helm and the API server hold of one namespace. */
export interface Observed {
  /**
   * Comparable with that of another namespace in which the same was done: without names, times, UIDs and
   * revisions.
   */
  readonly portrait: Portrait
  /** The last revision of each release. */
  readonly revisions: Readonly<Record<string, number>>
  /** UIDs by name: data is lost when one changes. */
  readonly claims: Readonly<Record<string, string>>
  readonly records: readonly RecordSeen[]
}

interface Portrait {
  readonly releases: Readonly<Record<string, object>>
  readonly objects: Readonly<Record<string, object>>
}

export interface RecordSeen {
  readonly release: string
  readonly revision: number
  readonly status: string
  readonly labels: Readonly<Record<string, string>>
  readonly manifest: string
  readonly values: object
}

interface Live {
  readonly kind: string
  readonly type?: string
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly labels?: Readonly<Record<string, string>>
    readonly annotations?: Readonly<Record<string, string>>
  }
  readonly data?: Readonly<Record<string, string>>
  readonly spec?: Readonly<Record<string, unknown>>
  readonly status?: {readonly readyReplicas?: number; readonly succeeded?: number; readonly phase?: string}
}

const KINDS = 'secrets,configmaps,deployments,statefulsets,jobs,persistentvolumeclaims'

/** Looks at a namespace with kubectl; one that is not there has nothing in it. */
export async function observe(namespace: string): Promise<Observed> {
  const {items} = await get<{readonly items: readonly Live[]}>(KINDS, '--namespace', namespace)
  const records = items.filter(isRecord).map(recordOf)
  const last = lastOf(records)
  const objects = items.filter((item) => !isRecord(item) && item.metadata.name !== 'kube-root-ca.crt')
  const neutral = neutralTexts(namespace, [...last.keys()])
  return {
    portrait: neutral({
      releases: Object.fromEntries([...last].map(([name, record]) => [name, portraitOf(record)])),
      objects: Object.fromEntries(objects.map((item) => [`${item.kind}/${item.metadata.name}`, bare(item)])),
    }),
    revisions: Object.fromEntries([...last].map(([name, {revision}]) => [name, revision])),
    claims: Object.fromEntries(
      objects
        .filter(({kind}) => kind === 'PersistentVolumeClaim')
        .map(({metadata}) => [metadata.name, metadata.uid]),
    ),
    records,
  }
}

function isRecord({type}: Live): boolean {
  return type === 'helm.sh/release.v1'
}

/** Base64 (the API's) of base64 (helm's) of gzip of JSON. */
function recordOf({metadata: {labels = {}}, data}: Live): RecordSeen {
  const packed = Buffer.from(Buffer.from(data?.release ?? '', 'base64').toString('latin1'), 'base64')
  const {manifest, config} = JSON.parse(gunzipSync(packed).toString())
  return {
    release: labels.name!,
    revision: Number(labels.version),
    status: labels.status!,
    labels,
    manifest,
    values: config ?? {},
  }
}

/** The last revision of each release. */
export function lastOf(records: readonly RecordSeen[]): ReadonlyMap<string, RecordSeen> {
  const last = new Map<string, RecordSeen>()
  for (const record of [...records].sort((a, b) => a.revision - b.revision)) last.set(record.release, record)
  return new Map([...last].sort(([a], [b]) => a.localeCompare(b)))
}

const HELMS_LABELS = ['name', 'version', 'createdAt', 'modifiedAt']

/**
 * Digests that hash the namespace, and the ids of runs, cannot be compared; that digests fit is what `kk
 * plan` says.
 */
function portraitOf({labels, manifest, values}: RecordSeen): object {
  const own = Object.entries(labels).filter(([name]) => !HELMS_LABELS.includes(name))
  const ofRevision = (name: string) => labels[name] === labels.version
  return {
    manifest,
    values,
    labels: {
      ...Object.fromEntries(own),
      [INPUTS_LABEL]: labels[INPUTS_LABEL] !== undefined,
      [INSTALLATION_LABEL]: labels[INSTALLATION_LABEL] !== undefined,
      [RUN_LABEL]: labels[RUN_LABEL] !== undefined,
      [OWNER_LABEL]: labels[OWNER_LABEL],
      [REVISION_LABEL]: ofRevision(REVISION_LABEL),
      [GATED_LABEL]: ofRevision(GATED_LABEL),
    },
  }
}

const VOLATILE_LABEL = /controller-uid|^kubernetes\.io\/metadata/
const VOLATILE_ANNOTATION = /^(deployment|pv)\.kubernetes\.io\/|^volume\./

/** What was asked of the API server, and whether it is so; without what differs each time. */
function bare({metadata, spec, data, status}: Live): object {
  const {selector, template, volumeName, ...wanted} = spec ?? {}
  const podSpec = (template as {readonly spec?: object} | undefined)?.spec
  return {
    labels: without(metadata.labels, VOLATILE_LABEL),
    annotations: without(metadata.annotations, VOLATILE_ANNOTATION),
    spec: {...wanted, ...(podSpec && {podSpec})},
    ...(data && {data}),
    ready: status?.readyReplicas,
    succeeded: status?.succeeded,
    phase: status?.phase,
  }
}

function without(entries: Readonly<Record<string, string>> = {}, pattern: RegExp): object {
  return Object.fromEntries(Object.entries(entries).filter(([name]) => !pattern.test(name)))
}

function neutralTexts(namespace: string, releases: readonly string[]): <T>(value: T) => T {
  const hashes = releases.map((name) => [usesLabel(releaseId(namespace, name)), `uses ${name}`] as const)
  return (value) => {
    let text = JSON.stringify(value).replaceAll(namespace, 'NAME')
    for (const [hash, name] of hashes) text = text.replaceAll(hash, name)
    return JSON.parse(text)
  }
}
