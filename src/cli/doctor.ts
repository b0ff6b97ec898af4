import type {Cluster} from '../cluster/cluster.ts'
import type {Environment} from '../environment/environment.ts'
import {asKkError} from '../errors.ts'
import {stateDirectory} from '../state/directories.ts'
import {diagnose, reach} from '../verbs/observation/doctor/doctor.ts'
import type {Finding} from '../verbs/observation/doctor/finding.ts'
import type {Prepared} from '../verbs/preparation/prepare.ts'
import {type ClusterFlags, openChosenCluster, openUsersHelm} from './open/cluster.ts'
import {type EnvironmentFlags, openPrepared} from './open/open.ts'
import {openSecrets} from './open/secrets.ts'
import {placeOf} from './run/run.ts'

interface DoctorFlags extends EnvironmentFlags, ClusterFlags {}

/** What is wrong with the machine, the environment and the cluster that the flags mean, each as far as it is there. */
export async function examine(flags: DoctorFlags, argv: readonly string[]): Promise<readonly Finding[]> {
  const file = await openFile(flags, argv)
  const named: Environment | undefined = file.prepared?.environment
  const reached = await reach(() => openChosenCluster(flags, named, {start: false, say: () => undefined}))
  const {cluster} = reached
  try {
    // Where the cluster does not answer, nothing is rendered.
    const prepared = file.prepared && cluster ? await supplied(file.prepared, flags, cluster) : file.prepared
    const findings = await diagnose({
      env: process.env,
      directory: stateDirectory(process.env),
      helm: () => openUsersHelm(flags, cluster),
      cluster,
      prepared,
      now: Date.now(),
      place: placeOf(named?.file ?? '', flags).trim(),
    })
    const trouble = 'trouble' in reached ? [reached.trouble] : []
    const others = findings.filter(({check}) => trouble.length === 0 || check !== 'cluster')
    return [...file.findings, ...trouble, ...others]
  } finally {
    await cluster?.close()
  }
}

/** With the secrets that the cluster keeps, or will; without them where they may not be read. */
async function supplied(prepared: Prepared, flags: DoctorFlags, cluster: Cluster): Promise<Prepared> {
  return openSecrets(prepared, flags, cluster).then(
    ({settled}) => settled,
    () => prepared,
  )
}

interface OpenedFile {
  readonly prepared: Prepared | undefined
  readonly findings: readonly Finding[]
}

/** An environment that is broken is one more finding. Throws what is wrong with the command line. */
async function openFile(flags: DoctorFlags, argv: readonly string[]): Promise<OpenedFile> {
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
