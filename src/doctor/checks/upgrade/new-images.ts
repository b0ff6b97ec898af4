import type {Schema} from '../../../audit/facts.ts'
import {collectors, type Databases, runCollector, schemasOf} from '../../../audit/gather.ts'
import {type Database, MOVES} from '../../../audit/queries.ts'
import {asKkError, KkError} from '../../../base/errors.ts'
import {mapParallel} from '../../../base/parallel.ts'
import {PODS} from '../../../kubernetes/api/resources.ts'
import type {Cluster} from '../../../kubernetes/cluster.ts'
import type {Pod} from '../../../kubernetes/gate/kinds/observed.ts'
import {pollCluster} from '../../../kubernetes/poll-cluster.ts'
import {releaseName, releaseNamespace} from '../../../release.ts'
import type {CheckResult} from '../change.ts'
import type {Check} from '../checks.ts'
import {checkPod, checkPodsOf, type ServiceUpgrade, serviceUpgrades} from './check-pod.ts'
import {judgeSteps, type MigrationStep} from './migration-steps.ts'
import {judgeMoves, type Move} from './moves.ts'

interface NewImagesOptions {
  readonly cluster: Pick<Cluster, 'objects' | 'exec'>
  /** The directory of kk's own files, which has the program that reads migrations. */
  readonly files: string
  readonly onProgress: (line: string) => void
  readonly signal?: AbortSignal | undefined
  /** How long failed pulls are tried again, in milliseconds. */
  readonly pullRetries?: number
}

/** How long the image may take to be pulled and started, and a program to end, in milliseconds. */
const START_MS = 300_000
const PROGRAM_MS = 180_000

/**
 * Asks the new images of services whether they can replace the old ones: each in a pod of its own, with the
 * configuration and the database of the running service.
 */
export function newImages(options: NewImagesOptions): Check {
  return {
    name: 'new images of services',
    changing: ['deploy'],
    outcome:
      'refuses what the service itself refuses, and a migration that takes from the old processes what they use, or locks a large table: KK_UPGRADE_CHECK; notes other changes of tables',
    cost: 'a pod for each service with a database whose image is replaced',
    find: async (change) =>
      (await mapParallel(serviceUpgrades(change), (upgrade) => findings(upgrade, options))).flat(),
  }
}

/** As `checkService`; a service that cannot be asked is a note. */
async function findings(upgrade: ServiceUpgrade, options: NewImagesOptions): Promise<readonly CheckResult[]> {
  try {
    return await checkService(upgrade, options)
  } catch (error) {
    options.signal?.throwIfAborted()
    const {code, message} = asKkError(error)
    if (code === 'KK_BUG') throw error
    return [
      {
        what: `not checked: whether ${upgrade.following.image} can replace ${releaseName(upgrade.release)}: ${message}`,
      },
    ]
  }
}

async function checkService(
  upgrade: ServiceUpgrade,
  options: NewImagesOptions,
): Promise<readonly CheckResult[]> {
  const {objects} = options.cluster
  const pod = checkPod(upgrade, Date.now())
  const {namespace, name} = pod.metadata
  try {
    await deleteEnded(upgrade, options)
    options.onProgress(
      `asking ${upgrade.following.image} whether it can replace ${releaseName(upgrade.release)}`,
    )
    await objects.apply(PODS, pod, {manager: 'kk'})
    const started = await start(upgrade, {namespace, name}, options)
    if (started.isSimulated) return []
    if (started.why !== undefined)
      return [refused(upgrade, `${upgrade.following.image} does not start: ${started.why}`)]
    const [status, steps] = await Promise.all([
      serviceStatus(upgrade, {namespace, name}, options),
      databaseFindings(upgrade, {namespace, name}, options),
    ])
    return [...status, ...steps]
  } finally {
    // Its deadline ends it, and a later call deletes it; the findings count.
    await objects.delete(PODS, {namespace, name}, {force: true}).catch(() => undefined)
  }
}

/** Deletes the pods that an earlier call could not delete, because it was killed. */
async function deleteEnded(upgrade: ServiceUpgrade, {cluster: {objects}}: NewImagesOptions): Promise<void> {
  const namespace = releaseNamespace(upgrade.release)
  for (const {metadata, status} of (await objects.list<Pod>(PODS, namespace, checkPodsOf(upgrade))) ?? [])
    if (status?.phase === 'Failed' || status?.phase === 'Succeeded')
      await objects.delete(PODS, {namespace, name: metadata.name})
}

interface Place {
  readonly namespace: string
  readonly name: string
}

interface Started {
  /** Why the pod does not run; undefined if it does. */
  readonly why?: string
  /** Whether nothing runs in it: a simulated node has no containers. */
  readonly isSimulated: boolean
}

/** Waits until the pod runs. */
async function start(
  {container}: ServiceUpgrade,
  place: Place,
  {cluster, signal, pullRetries = PULL_RETRIES_MS}: NewImagesOptions,
): Promise<Started> {
  let why = 'no node takes it'
  let failingSince: number | undefined
  const started = await pollCluster(
    async (): Promise<Started | false> => {
      const {status} = (await cluster.objects.read<Pod>(PODS, place)) ?? {}
      const {state, containerID, ready} =
        status?.containerStatuses?.find(({name}) => name === container) ?? {}
      const {reason, message} = state?.waiting ?? state?.terminated ?? {}
      why = [reason, message].filter(Boolean).join(': ') || why
      if (!PULL_FAILURES.has(reason ?? '')) failingSince = undefined
      else failingSince ??= Date.now()
      const isUnpullable = failingSince !== undefined && Date.now() - failingSince >= pullRetries
      // A simulated container has no id, and completes at once.
      const hasStarted = state?.running !== undefined || state?.terminated?.exitCode === 0
      if (hasStarted && containerID === undefined) return {isSimulated: true}
      if (state?.terminated || isUnpullable) return {why, isSimulated: false}
      return hasStarted && ready === true && {isSimulated: false}
    },
    {interval: 1_000, deadline: Date.now() + START_MS, signal},
  )
  if (started) return started
  throw new KkError('KK_UNHEALTHY', `its pod did not start in time: ${why}`)
}

/** Of many pulls at once a registry may refuse some. */
const PULL_RETRIES_MS = 60_000
const PULL_FAILURES: ReadonlySet<string> = new Set([
  'ImagePullBackOff',
  'InvalidImageName',
  'ErrImageNeverPull',
])

/** The services whose check needs the new schema: their charts have it as a Job after the migration. */
const AFTER_MIGRATION: ReadonlySet<string> = new Set(['ironic'])

/** Registers the options that octavia-status forgets (charts/octavia/templates/_octavia.tpl). */
const OCTAVIA = `import sys
from octavia.cmd import status
from oslo_config import cfg
from oslo_policy import opts
opts.set_defaults(cfg.CONF)
sys.exit(status.main())`
const PROGRAMS: Readonly<Record<string, readonly string[]>> = {octavia: ['python3', '-c', OCTAVIA]}

/**
 * Returns what the service says of its upgrade: 0 is good, 1 has warnings, 2 is a failure, and 255 an error.
 */
async function serviceStatus(
  upgrade: ServiceUpgrade,
  place: Place,
  {cluster, signal}: NewImagesOptions,
): Promise<readonly CheckResult[]> {
  const {service, container, following} = upgrade
  if (AFTER_MIGRATION.has(service)) return []
  const {code, stdout, stderr} = await cluster.exec.run({
    ...{namespace: place.namespace, pod: place.name, container, timeout: PROGRAM_MS, signal},
    command: [...(PROGRAMS[service] ?? [`${service}-status`]), 'upgrade', 'check'],
  })
  const lines = `${stdout}\n${stderr}`
    .trim()
    .split('\n')
    .map((line) => line.replace(/^[|+ -]+|[|+ -]+$/g, ''))
    .filter((line) => line !== '')
  const said = `${service}-status upgrade check of ${following.image}: ${lines.slice(-8).join(', ')}`
  // A program that ends before it has checked has the exit code of a warning.
  if (!stdout.includes('Upgrade Check Results')) return [{what: `not checked: ${said}`}]
  return code <= 1 ? [] : [refused(upgrade, said)]
}

function refused({release}: ServiceUpgrade, what: string): CheckResult {
  return {
    what: `${release}: ${what}`,
    advice: 'correct that, and repeat the command; --skip-upgrade-checks upgrades all the same',
    refusal: 'KK_UPGRADE_CHECK',
  }
}

/** The state of migrations, as the collector of databases scans it. */
type Scanned = Omit<Schema, 'name'> & {readonly steps?: readonly MigrationStep[]}

/** What the collector of databases prints of one: a cell of nova has the instances that move. */
type Asked = Databases<Scanned, {readonly moves?: readonly Move[]}>

/**
 * Returns what the migrations of the new image do that the database has not seen, and the instances that nova
 * moves.
 */
async function databaseFindings(
  upgrade: ServiceUpgrade,
  place: Place,
  {cluster, files, signal}: NewImagesOptions,
): Promise<readonly CheckResult[]> {
  const {service, container, database} = upgrade
  const input = {scan: true, databases: [askedOf(database)]}
  const ports = {exec: cluster.exec, program: collectors(files)}
  try {
    const printed = await runCollector(ports, {...place, container}, {collector: 'sql', input, signal})
    const asked = printed as Asked
    const schemas = schemasOf(service, asked)
    const cells = Object.values(asked).flatMap((each) => Object.values(each.cells ?? {}))
    return [
      ...judgeMoves(
        cells.flatMap(({moves = []}) => moves),
        upgrade.isUnfinished,
      ),
      ...schemas.flatMap(unreadSchema),
      ...judgeSteps(
        upgrade,
        schemas.flatMap(({steps = []}) => steps),
      ),
    ]
  } catch (error) {
    signal?.throwIfAborted()
    const moves = database.cells ? ', and the instances that it moves' : ''
    return [{what: `not checked: the migrations of ${service}${moves}: ${asKkError(error).message}`}]
  }
}

/** Says of a schema that the image does not have its migrations. */
function unreadSchema({
  name,
  known,
  unknown,
}: Pick<Schema, 'name' | 'known' | 'unknown'>): readonly CheckResult[] {
  const unread = (why: string) => [{what: `not checked: the migrations of ${name}: ${why}`}]
  if (known === null) return unread('they were not found in the image')
  if (unknown.length === 0) return []
  return unread(`the image does not know what was applied: ${unknown.join(', ')}`)
}

function askedOf({queries: _, cells, ...database}: Database): Database {
  return cells ? {...database, cells: {...cells, queries: {moves: MOVES}}} : database
}
