import {asKkError} from '../../base/errors.ts'
import {KkCommand} from '../../cli/command.ts'
import {
  clusterFlags,
  documentFlags,
  environmentFlags,
  fileArgument,
  helmFlags,
  type RenderFlags,
} from '../../cli/flags.ts'
import {openChosenCluster, openUsersHelm} from '../../cli/open/cluster.ts'
import {openPrepared} from '../../cli/open/open.ts'
import {openSecrets} from '../../cli/open/secrets.ts'
import {targetArguments} from '../../cli/run/repeat-command.ts'
import {diagnose, reach} from '../../doctor/doctor.ts'
import type {Finding} from '../../doctor/finding.ts'
import type {Environment} from '../../environment/environment.ts'
import type {Cluster} from '../../kubernetes/cluster.ts'
import type {Prepared} from '../../prepare/prepare.ts'
import {doctorText} from '../../report/doctor-text.ts'
import {stateDirectory} from '../../state/directories.ts'

export default class Doctor extends KkCommand {
  static override summary =
    'Check helm, the cluster and the leftovers of kk and helm for problems, and show how to fix them.'
  static override description =
    'Changes nothing. Works without an environment file and without a cluster, and reports what cannot be checked. Exits 1 if there is a problem; warnings do not count as problems.'
  static override examples = [
    'kk doctor --sandbox',
    'kk doctor environments/all-in-one.yaml --sandbox',
    'kk doctor --sandbox --output json',
  ]
  static override args = fileArgument
  static override flags = {...environmentFlags, ...clusterFlags, ...helmFlags, ...documentFlags}

  override async run(): Promise<void> {
    const {flags, args} = await this.parse(Doctor)
    const findings = await examine(flags, args.file === undefined ? [] : [args.file])
    this.console.document(flags.output, {findings}, (palette) => doctorText(findings, palette))
    if (findings.some(({level}) => level === 'problem')) process.exitCode = 1
  }
}

/**
 * Returns the findings for the machine, and for the environment and the cluster that the flags select, if
 * available.
 */
async function examine(flags: RenderFlags, argv: readonly string[]): Promise<readonly Finding[]> {
  const file = await openFile(flags, argv)
  const environment: Environment | undefined = file.prepared?.environment
  const connection = await reach(() => openChosenCluster(flags, environment))
  const {cluster} = connection
  await using closing = new AsyncDisposableStack()
  closing.defer(async () => cluster?.close())
  // If the cluster does not answer, nothing is rendered.
  const prepared = file.prepared && cluster ? await withSecrets(file.prepared, flags, cluster) : file.prepared
  const findings = await diagnose({
    env: process.env,
    directory: stateDirectory(process.env),
    helm: () => openUsersHelm(flags, cluster),
    cluster,
    prepared,
    now: Date.now(),
    place: targetArguments(environment?.file ?? '', flags).trim(),
  })
  const trouble = 'trouble' in connection ? [connection.trouble] : []
  const otherFindings = findings.filter(({check}) => trouble.length === 0 || check !== 'cluster')
  return [...file.findings, ...trouble, ...otherFindings]
}

/**
 * Adds the secrets that the cluster stores, or will store; returns the environment unchanged if they cannot
 * be read.
 */
async function withSecrets(prepared: Prepared, flags: RenderFlags, cluster: Cluster): Promise<Prepared> {
  return openSecrets(prepared, flags, cluster).then(
    ({final}) => final,
    () => prepared,
  )
}

interface OpenedFile {
  readonly prepared: Prepared | undefined
  readonly findings: readonly Finding[]
}

/**
 * Opens the environment file; an invalid environment becomes a finding. Throws errors of the command line.
 */
async function openFile(flags: RenderFlags, argv: readonly string[]): Promise<OpenedFile> {
  const check = 'environment'
  try {
    const {prepared} = await openPrepared(flags, argv)
    const {name, file} = prepared.environment
    const what = `${file} is the environment "${name}", with ${prepared.releases.size} releases`
    return {prepared, findings: [{check, level: 'ok', what}]}
  } catch (error) {
    const {code, message, hint} = asKkError(error)
    if (code === 'KK_NO_ENVIRONMENT') return {prepared: undefined, findings: []}
    if (code === 'KK_BUG' || code === 'KK_USAGE' || code === 'KK_FILE') throw error
    const advice = hint === undefined ? {} : {advice: hint}
    return {prepared: undefined, findings: [{check, level: 'problem', what: message, ...advice}]}
  }
}
