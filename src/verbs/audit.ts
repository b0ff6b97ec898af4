import {readFile} from 'node:fs/promises'
import {join} from 'node:path'
import {type Audit, audit, type OtherFindings} from '../audit/audit.ts'
import type {Finding, Repair} from '../audit/finding.ts'
import {podsFor} from '../audit/gather.ts'
import {SOURCES} from '../audit/sources.ts'
import {asKkError} from '../base/errors.ts'
import {judgeCertificates} from '../doctor/cluster/certificates.ts'
import {kubectlOf} from '../doctor/facts.ts'
import type {Environment} from '../environment/environment.ts'
import type {Cluster} from '../kubernetes/cluster.ts'
import type {SeenPod} from '../kubernetes/exec/exec.ts'
import {releaseName} from '../release.ts'

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
export interface PlannedRepair {
  readonly command: readonly string[]
  readonly pod: SeenPod
  /** As for an administrator's shell. */
  readonly text: string
}

interface AuditedCloud {
  readonly report: AuditReport
  /** The safe commands, each once. */
  readonly repairs: readonly PlannedRepair[]
}

/**
 * Compares what the services of an environment record about the same servers, ports and volumes, and how
 * libvirt, OVN, Open vSwitch, Ceph and RabbitMQ have them. Changes nothing.
 */
export async function auditCloud(cluster: AuditPorts, options: AuditOptions): Promise<AuditedCloud> {
  const {environment, files, onProgress, settle} = options
  const namespaces = namespacesOf(environment)
  const records = (await Promise.all(namespaces.map((each) => cluster.records.list(each)))).flat()
  const names = records.map(({release}) => releaseName(release))
  const charts = new Set(names.map((name) => environment.releases.get(name)?.chart ?? name))
  const program = (name: string) => readFile(join(files, 'src/audit/collectors', `${name}.py`), 'utf8')
  const ports = {exec: cluster.exec, program, onProgress}
  const other = () => certificates(cluster, namespaces, options)
  const found = await audit({ports, scope: {namespaces, charts}, other, ...(settle && {settle})})
  const kubectl = kubectlOf(cluster)
  const findings = found.findings.map(({repair, ...finding}) => ({
    ...finding,
    repair: commandLine(repair, found.pods, {kubectl, options}),
    safe: repair.safe === true,
  }))
  const {asked} = found
  const isEmpty = !SOURCES.some(({chart}) => charts.has(chart))
  const reason = `no service that an audit reads is deployed in ${namespaces.join(', ')}`
  const notAsked = isEmpty ? [{source: 'services', reason}, ...found.notAsked] : found.notAsked
  return {
    report: {environment: environment.name, findings, asked, notAsked},
    repairs: safeRepairs(found, {kubectl, options}),
  }
}

function namespacesOf({namespace, releases}: Environment): readonly string[] {
  return [...new Set([namespace, ...[...releases.values()].flatMap((each) => each.namespace ?? [])])].sort()
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
  const words = command.map(quoted).join(' ')
  if (!place) return words
  const pod = podOf(repair, pods)
  const where = pod
    ? `--namespace ${pod.namespace} ${pod.name} --container ${pod.container}`
    : `POD-OF-${place.chart}-${place.components[0]}`
  return `${kubectl} exec ${where} -- ${words}`
}

function podOf({place}: Repair, pods: readonly SeenPod[]): SeenPod | undefined {
  if (!place) return undefined
  const {chart, components, node} = place
  const candidates = node === undefined ? pods : pods.filter((pod) => pod.node === node)
  return podsFor({chart, components}, candidates)[0]
}

/** Returns a word as a POSIX shell reads it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

function safeRepairs({findings, pods}: Audit, shell: Shell): readonly PlannedRepair[] {
  const planned = findings.flatMap(({repair}) => {
    const pod = repair.safe ? podOf(repair, pods) : undefined
    return pod ? [{command: repair.command, pod, text: commandLine(repair, pods, shell)}] : []
  })
  return [...new Map(planned.map((each) => [each.text, each])).values()]
}

/** The result of a repair. */
export interface Repaired {
  readonly command: string
  readonly succeeded: boolean
  /** The last lines of its output. */
  readonly output: string
}

/** `nova-manage placement audit --delete` ends with this code after it deleted what it found. */
const DELETED = 4
const REPAIR_TIMEOUT_MS = 900_000

/** Executes a repair in its pod. Rejects like `Exec`. */
export async function executeRepair(
  {exec}: Pick<Cluster, 'exec'>,
  {command, pod, text}: PlannedRepair,
): Promise<Repaired> {
  const {namespace, name, container} = pod
  const {code, stdout, stderr} = await exec.run({
    ...{namespace, pod: name, container, command},
    timeout: REPAIR_TIMEOUT_MS,
  })
  const succeeded = code === 0 || (code === DELETED && command.includes('audit'))
  const lines = `${stdout}\n${succeeded ? '' : stderr}`.trim().split('\n')
  return {command: text, succeeded, output: lines.slice(-5).join('\n')}
}
