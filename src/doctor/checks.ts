import {asKkError} from '../base/errors.ts'
import type {SeenHookJob, SeenNamespace} from '../kubernetes/diagnosis/diagnosis.ts'
import type {Approval} from '../kubernetes/guard/guard.ts'
import {KK_NAMESPACE} from '../kubernetes/lease/lease.ts'
import {clockText, type NodeClock} from '../kubernetes/node-clocks.ts'
import {readLabels} from '../plan/labels.ts'
import type {ObservedRecord} from '../plan/pending/evidence.ts'
import {unfinished} from '../plan/refusals.ts'
import {releaseName, releaseNamespace} from '../release.ts'
import {LARGE_RECORD_BYTES, MAX_RECORD_BYTES} from './checks/record-size.ts'
import {apiVersionsCheck} from './cluster/api-versions.ts'
import {certificatesCheck} from './cluster/certificates.ts'
import {imagesCheck} from './cluster/images.ts'
import {permissionsCheck} from './cluster/permissions.ts'
import {schedulingCheck} from './cluster/scheduling.ts'
import {serviceStatusCheck} from './cluster/service-status.ts'
import {storageClassCheck} from './cluster/storage-class.ts'
import type {ReadRecord} from './facts.ts'
import type {Check, CheckFinding} from './finding.ts'
import {claimsCheck} from './leftovers/claims.ts'
import {leasesCheck} from './leftovers/leases.ts'
import {objectsCheck} from './leftovers/objects.ts'
import {reservationsCheck} from './leftovers/reservations.ts'
import {runsCheck} from './leftovers/runs.ts'
import {stateDirectoryCheck} from './local/state-directory.ts'

/** Finds Jobs that were hooks of removed releases, or of revisions without them: helm never deletes them. */
const hookJobsCheck: Check = {
  name: 'hook-jobs',
  okMessage: 'no hook Jobs of removed releases',
  async run({cluster, readRecords, kubectl}) {
    const [jobs, records] = await Promise.all([cluster.diagnosis.hookJobs(), readRecords()])
    return judgeHookJobs(jobs, records, kubectl)
  },
}

function judgeHookJobs(
  jobs: readonly SeenHookJob[],
  records: readonly ReadRecord[],
  kubectl: string,
): readonly CheckFinding[] {
  // A record that cannot be read may contain any hook of its namespace.
  const blind = new Set(
    records.flatMap((each) => ('unreadable' in each ? [releaseNamespace(each.record.release)] : [])),
  )
  const knownSecrets = new Set(
    records.flatMap((each) => {
      if (!('hooks' in each)) return []
      const namespace = releaseNamespace(each.record.release)
      return each.hooks
        .filter(({kind}) => kind === 'Job')
        .map(({metadata}) => `${metadata.namespace ?? namespace}/${metadata.name}`)
    }),
  )
  return jobs
    .filter(({namespace, name}) => !blind.has(namespace) && !knownSecrets.has(`${namespace}/${name}`))
    .map(({namespace, name, hook}) => ({
      level: 'warning',
      what: `the Job ${namespace}/${name} was a ${hook} hook, and no release has it now: helm never deletes it`,
      advice: `${kubectl} delete job ${name} --namespace ${namespace}`,
    }))
}

/** Finds namespaces that are stuck in deletion. */
const namespacesCheck: Check = {
  name: 'namespaces',
  okMessage: 'no namespace is stuck in its deletion',
  async run({cluster, kubectl}) {
    return (await cluster.diagnosis.namespaces()).flatMap((each) => judgeNamespace(each, kubectl))
  },
}

/** Reads the conditions of a namespace in deletion (Kubernetes 1.36: namespaced_resources_deleter.go). */
function judgeNamespace(
  {name, deletedAt, hindrances}: SeenNamespace,
  kubectl: string,
): readonly CheckFinding[] {
  if (deletedAt === undefined) return []
  if (hindrances.length === 0)
    return [{level: 'info', what: `the deletion of the namespace ${name} began at ${deletedAt}`}]
  const why = hindrances.map(({message}) => message).join(' ')
  const what = `the deletion of the namespace ${name} began at ${deletedAt}, and is stuck: ${why}`
  return [{level: 'warning', what, advice: adviceFor(name, hindrances, kubectl)}]
}

function adviceFor(name: string, hindrances: SeenNamespace['hindrances'], kubectl: string): string {
  const isBlind = hindrances.some(({type}) => type === 'NamespaceDeletionDiscoveryFailure')
  if (isBlind) return `${kubectl} get apiservices`
  const remaining = hindrances.find(({type}) => type === 'NamespaceContentRemaining')?.message ?? ''
  const resources = [...remaining.matchAll(/([a-z0-9.-]+?)\.? has \d+ resource instances/g)].map(
    ([, one]) => one!,
  )
  const what = resources.length === 0 ? 'all' : resources.join(',')
  const columns =
    'custom-columns=KIND:.kind,NAME:.metadata.name,DELETED:.metadata.deletionTimestamp,FINALIZERS:.metadata.finalizers'
  return `${kubectl} get ${what} --namespace ${name} --output ${columns}`
}

/**
 * Finds unreadable helm records: helm ignores these releases; kk assumes that they use every other release.
 */
const recordsCheck: Check = {
  name: 'records',
  okMessage: 'all helm records can be read',
  async run({everyRecord, readRecords, kubectl}) {
    const {strays} = await everyRecord()
    const unreadable = (await readRecords()).flatMap((each) =>
      'unreadable' in each ? [`${releaseNamespace(each.record.release)}/${each.record.secret.name}`] : [],
    )
    return [...judgeRecords({strays, unreadable, kubectl}), ...judgeDocuments(await readRecords())]
  },
}

/** Returns the records with documents that are not Kubernetes objects, which other checks ignore. */
function judgeDocuments(records: readonly ReadRecord[]): readonly CheckFinding[] {
  return records.flatMap((each): readonly CheckFinding[] => {
    if (!('fault' in each) || each.fault === undefined) return []
    const {release, revision, status} = each.record
    const what = `revision ${revision} of ${release} (${status}) has a document that is not examined: ${each.fault}`
    return [
      {
        level: 'warning',
        what,
        advice: `helm get all ${releaseName(release)} --revision ${revision} --namespace ${releaseNamespace(release)}`,
      },
    ]
  })
}

interface Records {
  /** The Secrets, as `namespace/name`. */
  readonly strays: readonly string[]
  readonly unreadable: readonly string[]
  readonly kubectl: string
}

function judgeRecords({strays, unreadable, kubectl}: Records): readonly CheckFinding[] {
  const finding = (secret: string, why: string): CheckFinding => {
    const [namespace, name] = secret.split('/')
    const what = `the Secret ${secret} ${why}: helm ignores it, and kk refuses removals, because it may use any release. Restore it from a backup, or delete it if its release is no longer needed`
    return {level: 'problem', what, advice: `${kubectl} delete secret ${name} --namespace ${namespace}`}
  }
  return [
    ...strays.map((secret) => finding(secret, 'has the type of a helm record, but contains no release')),
    ...unreadable.map((secret) => finding(secret, 'is a helm record that cannot be decoded')),
  ]
}

/** Finds unfinished operations, with the evidence about the process that left them or is still running. */
const pendingCheck: Check = {
  name: 'pending',
  okMessage: 'no unfinished operation on a release',
  async run({last, prepared, place}) {
    const own = prepared?.environment.name
    const isOwn = ({labels}: ObservedRecord) => own !== undefined && readLabels(labels)?.owner === own
    return (await last()).flatMap((record) => judgePending(record, isOwn(record) ? place : undefined))
  },
}

/**
 * Returns the finding for an unfinished operation. `place` is appended to the repair command, for the
 * environment that owns the release; undefined without its file.
 */
export function judgePending(record: ObservedRecord, place: string | undefined): readonly CheckFinding[] {
  const refusal = unfinished(record)
  if (!refusal) return []
  const {status, evidence} = record
  const isHarmless = evidence?.state === 'running' || status === 'uninstalled'
  const isRecovered = status === 'uninstalled' || evidence?.state === 'stale'
  const repair = status === 'uninstalling' ? `kk remove ${releaseName(record.release)}` : 'kk deploy'
  const advice = isRecovered && place !== undefined ? `${repair} ${place}` : refusal.hint
  return [
    {level: isHarmless ? 'info' : 'problem', what: refusal.message, ...(advice !== undefined && {advice})},
  ]
}

/**
 * Finds expired approvals of the guard: they allow nothing, and are removed when the guard is written again.
 */
const approvalsCheck: Check = {
  name: 'guard-approvals',
  okMessage: 'no expired approval of the guard',
  async run({cluster, last, now, place}) {
    const approvals = (await cluster.guard.parameters())?.approvals ?? []
    if (approvals.length === 0) return []
    const isNeeded = (await last()).some(({labels}) => readLabels(labels)?.protected)
    return judgeApprovals(approvals, now, `kk guard ${isNeeded ? 'install' : 'remove'} --yes ${place}`.trim())
  },
}

/**
 * Returns a finding for each expired approval. `repair` is the command that writes the guard again, or
 * removes it if no release is protected, as after an approved removal.
 */
export function judgeApprovals(
  approvals: readonly Approval[],
  now: number,
  repair: string,
): readonly CheckFinding[] {
  return approvals
    .filter(({expires}) => expires * 1000 <= now)
    .map(({release, expires, by}) => ({
      level: 'info',
      what: `the approval to delete objects of ${release}, by ${by}, expired at ${new Date(expires * 1000).toISOString()}`,
      advice: repair,
    }))
}

/** Finds records near the size limit: helm stores chart, values and manifest in one Secret. */
const recordSizeCheck: Check = {
  name: 'record-size',
  okMessage: 'no record is near the limit of 1 MiB',
  run: async ({readRecords}) => judgeSizes(await readRecords()),
}

function judgeSizes(records: readonly ReadRecord[]): readonly CheckFinding[] {
  return records.flatMap((each): readonly CheckFinding[] => {
    if (!('bytes' in each) || each.bytes <= LARGE_RECORD_BYTES) return []
    const {release, revision} = each.record
    const share = Math.floor((each.bytes / MAX_RECORD_BYTES) * 100)
    const what = `the record of ${release}, revision ${revision}, has ${Math.round(each.bytes / 1000)} kB, ${share} % of the limit of a Secret: an upgrade that needs more will fail`
    const advice = `exclude files that are not templates from the chart of ${release} with .helmignore, and large strings from its values`
    return [{level: 'warning', what, advice}]
  })
}

/**
 * Checks that the helm that kk would use exists, is new enough, and uses the storage driver that kk reads.
 */
const helmCheck: Check = {
  name: 'helm',
  needs: 'nothing',
  okMessage: 'helm was found',
  async run({helm}) {
    try {
      const {path, version} = await helm()
      return [{level: 'ok', what: `helm ${version.text} at ${path}`}]
    } catch (error) {
      const {code, message, hint} = asKkError(error)
      if (code === 'KK_BUG') throw error
      return [{level: 'problem', what: message, ...(hint !== undefined && {advice: hint})}]
    }
  },
}

const MAX_CLOCK_SKEW_SECONDS = 30

/**
 * Compares the clock of this machine with that of the API server, because machines write deadlines in the
 * cluster.
 */
const clockCheck: Check = {
  name: 'clock',
  okMessage: "this machine's clock agrees with the API server's",
  run: async ({cluster}) => judgeClock(await cluster.diagnosis.clockAhead()),
}

export function judgeClock(ahead: number): readonly CheckFinding[] {
  const seconds = Math.abs(ahead)
  if (seconds <= MAX_CLOCK_SKEW_SECONDS) return []
  const direction = ahead > 0 ? 'ahead of' : 'behind'
  const what = `this machine's clock is ${seconds} s ${direction} the API server's: deadlines of other machines are misread`
  return [{level: 'warning', what, advice: 'timedatectl set-ntp true'}]
}

/**
 * Compares the clocks of the nodes, which tokens, certificates and Ceph depend on, with that of the API
 * server.
 */
const nodeClocksCheck: Check = {
  name: 'node-clocks',
  okMessage: "the nodes' clocks agree with those of the API servers that their kubelets use",
  run: async ({cluster}) => judgeNodeClocks(await cluster.diagnosis.clocks()),
}

export function judgeNodeClocks(clocks: readonly NodeClock[]): readonly CheckFinding[] {
  if (clocks.length === 0) return [{level: 'info', what: 'no Lease of a kubelet shows the clock of its node'}]
  const differing = clocks.filter(({ahead}) => ahead !== 0)
  const [first] = differing
  const isAlike = differing.every(({ahead}) => Math.abs(ahead - first!.ahead) <= 2)
  if (first && clocks.length > 2 && differing.length > clocks.length / 2 && isAlike) {
    const what = `the clock of the API server's host is wrong, or most others are: ${differing.length} of ${clocks.length} nodes are ${clockText(first)}`
    return [{level: 'warning', what, advice: "on the API server's host: timedatectl set-ntp true"}]
  }
  return differing.map(({node, ahead}) => {
    const than = `${clockText({ahead})}${ahead > 0 ? ' of' : ''} the API server's`
    const what = `the clock of node ${node} is ${than}: tokens, certificates and Ceph depend on it`
    return {level: 'warning', what, advice: `on ${node}: timedatectl set-ntp true`}
  })
}

/** Checks that the namespace of kk's own objects exists. */
const kkSystemCheck: Check = {
  name: 'kk-system',
  okMessage: 'the namespace kk-system exists',
  async run({cluster, kubectl}) {
    if (await cluster.live.hasNamespace(KK_NAMESPACE)) return []
    const what = `the cluster has no namespace ${KK_NAMESPACE} yet: the first run creates it, if its user may create namespaces`
    return [{level: 'info', what, advice: `${kubectl} create namespace ${KK_NAMESPACE}`}]
  },
}

/** Reports version and address of the cluster, which is known to be reachable. */
const clusterCheck: Check = {
  name: 'cluster',
  okMessage: 'the cluster answers',
  async run({cluster}) {
    const {version} = await cluster.apiServer.identity()
    return [{level: 'ok', what: `Kubernetes ${version} at ${cluster.server} (context ${cluster.context})`}]
  },
}

/** All checks, in display order. */
export const CHECKS: readonly Check[] = [
  helmCheck,
  stateDirectoryCheck,
  clusterCheck,
  clockCheck,
  nodeClocksCheck,
  permissionsCheck,
  kkSystemCheck,
  namespacesCheck,
  storageClassCheck,
  schedulingCheck,
  serviceStatusCheck,
  imagesCheck,
  apiVersionsCheck,
  recordsCheck,
  recordSizeCheck,
  pendingCheck,
  leasesCheck,
  reservationsCheck,
  runsCheck,
  hookJobsCheck,
  certificatesCheck,
  claimsCheck,
  objectsCheck,
  approvalsCheck,
]
