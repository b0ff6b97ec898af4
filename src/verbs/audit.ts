import {type Audit, audit, auditAgain, type OtherFindings} from '../audit/audit.ts'
import {type Finding, findingKey, type Repair} from '../audit/finding.ts'
import {collectors, type Deployed, type GatherPorts, podsFor} from '../audit/gather.ts'
import {SOURCES} from '../audit/sources.ts'
import {asKkError} from '../base/errors.ts'
import {shellWord} from '../base/shell.ts'
import {judgeCertificates} from '../doctor/cluster/certificates.ts'
import {kubectlOf} from '../doctor/facts.ts'
import {type Environment, namespacesOf} from '../environment/environment.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import type {SeenPod} from '../kubernetes/exec/exec.ts'
import {deployedReleases} from './deployed-releases.ts'

type AuditPorts = Pick<Cluster, 'exec' | 'records' | 'diagnosis' | 'context' | 'kubeconfig' | 'helmContext'>

interface AuditOptions {
  readonly environment: Environment
  /** The directory of kk's own files, which has the collectors. */
  readonly files: string
  /** Milliseconds since the epoch. */
  readonly now: number
  /** The environment file, and the arguments that name the cluster. */
  readonly place: string
  readonly onProgress?: (source: string) => void
  /** Waits between the two readings. */
  readonly settle?: () => Promise<unknown>
}

/** The inconsistencies of a cloud, each with a command line that repairs it. */
export interface AuditReport {
  readonly environment: string
  readonly findings: readonly ReportedFinding[]
  /** The sources that were read. */
  readonly asked: readonly string[]
  readonly notAsked: Audit['notAsked']
}

export interface ReportedFinding extends Omit<Finding, 'repair'> {
  /** The command line for an administrator's shell. */
  readonly repair: string
  /** Whether `kk audit --repair` executes it. */
  readonly safe: boolean
}

/** A command that repairs findings, and its pod. */
interface PlannedRepair {
  readonly repair: Repair
  readonly pod: SeenPod
  /** As for an administrator's shell. */
  readonly text: string
  /** The keys of the findings. */
  readonly findings: readonly string[]
}

export interface AuditedCloud {
  readonly report: AuditReport
  /** The safe commands, each once. */
  readonly repairs: readonly PlannedRepair[]
  /**
   * Reads the sources of a repair again, and executes it if one of its findings is still there. Never
   * rejects.
   */
  readonly execute: (repair: PlannedRepair) => Promise<Repaired>
}

/**
 * Compares what the services of an environment record about the same servers, ports and volumes, and how
 * libvirt, OVN, Open vSwitch, Ceph and RabbitMQ have them. Changes nothing.
 */
export async function auditCloud(cluster: AuditPorts, options: AuditOptions): Promise<AuditedCloud> {
  const {environment, files, onProgress, settle} = options
  const namespaces = namespacesOf(environment)
  const releases = await deployedReleases(cluster, environment)
  const ports = {exec: cluster.exec, program: collectors(files), onProgress}
  const other = () => certificates(cluster, namespaces, options)
  const found = await audit({ports, scope: {releases}, other, ...(settle && {settle})})
  const kubectl = kubectlOf(cluster)
  const findings = found.findings.map(({repair, ...finding}) => ({
    ...finding,
    repair: commandLine(repair, found.pods, {kubectl, options}),
    safe: repair.safe === true,
  }))
  const {asked} = found
  const isEmpty = !SOURCES.some(({chart}) => releases.some((release) => release.chart === chart))
  const reason = `no service that an audit reads is deployed in ${namespaces.join(', ')}`
  const notAsked = isEmpty ? [{source: 'services', reason}, ...found.notAsked] : found.notAsked
  return {
    report: {environment: environment.name, findings, asked, notAsked},
    repairs: safeRepairs(found, {kubectl, options}),
    execute: (repair) => executeIfNeeded(ports, releases, repair),
  }
}

async function certificates(
  {diagnosis, ...cluster}: AuditPorts,
  namespaces: readonly string[],
  {now, place}: AuditOptions,
): Promise<OtherFindings> {
  const source = 'certificates'
  try {
    const seen = (await diagnosis.certificates()).filter(({namespace}) => namespaces.includes(namespace))
    const ending = judgeCertificates(seen, new Map(), {now, place, kubectl: kubectlOf(cluster)})
    const findings = ending.map(({what, advice = ''}): Finding => {
      return {kind: 'CERTIFICATE_ENDS', certainty: 'certain', ids: [what], what, repair: {command: [advice]}}
    })
    return {source, findings}
  } catch (error) {
    return {source, reason: asKkError(error).message}
  }
}

interface Shell {
  readonly kubectl: string
  readonly options: AuditOptions
}

function commandLine(repair: Repair, pods: readonly SeenPod[], {kubectl, options}: Shell): string {
  const {command, place} = repair
  const [first, verb, ...rest] = command
  if (first === 'kk') return ['kk', verb, options.place, ...rest].join(' ')
  if (command.length === 1) return first!
  const words = command.map(shellWord).join(' ')
  if (!place) return words
  const pod = podOf(repair, pods)
  const where = pod
    ? `--namespace ${pod.namespace} ${pod.name} --container ${pod.container}`
    : `POD-OF-${place.chart}-${place.components[0]}`
  return `${kubectl} exec ${where} -- ${words}`
}

function podOf({place}: Repair, pods: readonly SeenPod[]): SeenPod | undefined {
  if (!place) return undefined
  const {chart, components, node, release} = place
  const candidates = pods.filter(
    (pod) =>
      (node === undefined || pod.node === node) &&
      (release === undefined || release === `${pod.namespace}/${pod.release}`),
  )
  return podsFor({chart, components}, candidates)[0]
}

function safeRepairs({findings, pods}: Audit, shell: Shell): readonly PlannedRepair[] {
  const planned = findings.flatMap((finding) => {
    const {repair} = finding
    const pod = repair.safe ? podOf(repair, pods) : undefined
    return pod ? [{finding, repair, pod, text: commandLine(repair, pods, shell)}] : []
  })
  return [...Map.groupBy(planned, ({text}) => text).values()].map((same) => {
    const {repair, pod, text} = same[0]!
    return {repair, pod, text, findings: same.map(({finding}) => findingKey(finding))}
  })
}

/** The result of a repair. */
export interface Repaired {
  readonly command: string
  readonly succeeded: boolean
  /** The last lines of its output. */
  readonly output: string
}

const REPAIR_TIMEOUT_MS = 900_000

async function executeIfNeeded(
  ports: GatherPorts,
  releases: readonly Deployed[],
  {repair, pod, text, findings}: PlannedRepair,
): Promise<Repaired> {
  const {command, place, shownBy = []} = repair
  try {
    const only = {sources: shownBy, node: place?.node}
    const now = await auditAgain(ports, {releases, only})
    const [unread] = now.notAsked
    if (unread) {
      const output = `not executed: ${unread.source} cannot be read again: ${unread.reason}`
      return {command: text, succeeded: false, output}
    }
    if (!now.findings.some((each) => findings.includes(findingKey(each))))
      return {command: text, succeeded: true, output: 'not executed: this is consistent by now'}
    const {namespace, name, container} = podOf(repair, now.pods) ?? pod
    const {code, stdout, stderr} = await ports.exec.run({
      ...{namespace, pod: name, container, command},
      timeout: REPAIR_TIMEOUT_MS,
    })
    const lines = `${stdout}\n${code === 0 ? '' : stderr}`.trim().split('\n')
    return {command: text, succeeded: code === 0, output: lines.slice(-5).join('\n')}
  } catch (error) {
    return {command: text, succeeded: false, output: asKkError(error).message}
  }
}
