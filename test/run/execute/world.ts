import type {ChangedRelease, ChangeOptions, ReleaseCall} from '../../../src/helm/helm.ts'
import type {Cause} from '../../../src/kubernetes/gate/health.ts'
import {NO_HOOKS} from '../../../src/kubernetes/gate/watch-hooks.ts'
import type {Operation} from '../../../src/kubernetes/lease/operation.ts'
import type {HelmProcess} from '../../../src/kubernetes/lease/view.ts'
import type {KubernetesObject} from '../../../src/kubernetes/manifest/kubernetes-object.ts'
import type {ReleaseRecord} from '../../../src/kubernetes/records/release-record.ts'
import type {DesiredRelease} from '../../../src/plan/desired.ts'
import type {Action, ActionKind} from '../../../src/plan/plan.ts'
import {newAgreement} from '../../../src/run/execute/agreement.ts'
import {execute} from '../../../src/run/execute/execute.ts'
import type {Tools} from '../../../src/run/execute/execution.ts'
import {newHold} from '../../../src/run/execute/lease.ts'
import type {Transition} from '../../../src/run/journal.ts'
import type {ChartWork, Controls, PruningWork, RemovalWork, Task} from '../../../src/run/task.ts'
import type {ProcessState} from '../../../src/state/processes/process-place.ts'
import {leaseView} from '../../kubernetes/lease/lease-view.ts'
import {port} from '../../kubernetes/support/port.ts'
import {bareRecord, desiredOf} from '../../plan/fixtures.ts'
import {heldLease} from './held-lease.ts'

type HelmChange = (call: ReleaseCall, options: ChangeOptions) => Promise<ChangedRelease>

interface Setting {
  readonly record?: ReleaseRecord | undefined
  /** Revisions before it that helm keeps. */
  readonly earlier?: readonly ReleaseRecord[]
  /** By revision, where it is not `MANIFEST`. */
  readonly manifests?: Readonly<Record<number, string>>
  /** Replaces what differs from a cluster on which all goes well. */
  readonly cluster?: {readonly [P in keyof Tools['cluster']]?: Partial<Tools['cluster'][P]>}
  /** Takes the place of helm; `succeed` does what helm would have done. */
  readonly helm?: (succeed: HelmChange, ...change: Parameters<HelmChange>) => Promise<ChangedRelease>
  /** What stands on the Lease of the release, and what is seen of its processes. */
  readonly operation?: Operation
  readonly kk?: ProcessState
  readonly leftHelm?: HelmProcess
  /** The major version of helm; 4 unless given. */
  readonly helmMajor?: 3 | 4
  /** The hooks of every revision. */
  readonly hooks?: readonly string[]
  /** What happens while helm runs tests. */
  readonly test?: () => Promise<void>
  /** Masks the secrets of other releases. */
  readonly mask?: (text: string) => string
  readonly appliedAwaited?: boolean
  readonly onApplied?: () => void
}

/** The run that acts. */
export const RUN = '20261121-083000-3f9a'

export const MANIFEST = `apiVersion: apps/v1
kind: Deployment
metadata: {name: keystone-api}
`

const HOOK: KubernetesObject = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {name: 'keystone-db-sync', annotations: {'helm.sh/hook': 'post-install'}},
}

/**
 * A cluster and a helm as objects of functions: they keep one release's last record, and `log` tells what was
 * asked of them. Time stands still until `pass` is called; a wait of a second is over at once.
 */
export function newWorld(setting: Setting = {}) {
  const log: string[] = []
  const filters: object[] = []
  const journal: Transition[] = []
  const abort = new AbortController()
  const leaseLost = new AbortController()
  const time = newTime()
  const evidence: string[] = []
  let record = setting.record
  let operation = setting.operation

  const change: HelmChange = async (_call, {labels}) => {
    const next = bareRecord('openstack/keystone', (record?.revision ?? 0) + 1)
    record = {...next, labels: patched(record?.labels ?? {}, labels)}
    return {revision: record.revision, status: 'deployed', manifest: MANIFEST, hooks: []}
  }
  const helm =
    (kind: 'install' | 'upgrade'): HelmChange =>
    async (call, options) => {
      log.push(`helm ${kind}`)
      return setting.helm ? setting.helm(change, call, options) : change(call, options)
    }

  const rollback: Tools['helm']['rollback'] = async ({revision}, {onStarted}) => {
    log.push(`helm rollback to ${revision}`)
    onStarted?.(4711)
    const target = setting.earlier!.find((each) => each.revision === revision)!
    record = {...bareRecord('openstack/keystone', record!.revision + 1), labels: target.labels}
  }

  const given = setting.cluster
  const cluster: Tools['cluster'] = {
    leases: port({
      async hold(release) {
        log.push(`hold ${release}`)
        return heldLease({
          lost: leaseLost.signal,
          annotate: async (notes) => void log.push(`annotate ${JSON.stringify(notes)}`),
          begin: async ({verb, revision, run}) => {
            evidence.push(`begin ${verb} to revision ${revision} of run ${run}`)
            operation = {
              verb,
              revision,
              run,
              environment: 'all-in-one',
              deadline: 0,
              kk: {host: 'host', pid: 1},
            }
          },
          started: async (pid) => void evidence.push(`started ${pid}`),
          ended: async () => void evidence.push('ended'),
          leave: async () => void evidence.push('leave'),
          release: async () => void log.push('give back'),
        })
      },
      read: async (release) =>
        operation &&
        leaseView({
          release,
          holder: 'operator@host',
          operation,
          processes: {
            holder: 'running',
            operation: {kk: setting.kk ?? 'running', helm: setting.leftHelm ?? {state: 'gone'}},
          },
        }),
      now: time.clock.now,
      ...given?.leases,
    }),
    records: port({
      async markFailed(of, description) {
        log.push(`mark revision ${of.revision} failed: ${description}`)
        record = {...of, status: 'failed'}
        return record
      },
      last: async () => record,
      async stored(_release, revision = record?.revision) {
        const found = [...(setting.earlier ?? []), record].find((each) => each?.revision === revision)
        if (!found) return undefined
        const manifest = setting.manifests?.[found.revision] ?? MANIFEST
        return {
          ...found,
          manifest,
          values: {},
          hooks: setting.hooks ?? [],
          chart: CHART,
          applyMethod: undefined,
        }
      },
      revisions: async () => [...(setting.earlier ?? []), ...(record ? [record] : [])],
      async label(of, labels) {
        log.push(`label revision ${of.revision}: ${JSON.stringify(labels)}`)
        record = {...of, labels: patched(of.labels, labels)}
      },
      ...given?.records,
    }),
    health: port({
      log: async () => [],
      async gate({objects}) {
        log.push(`gate ${objects.map(({kind, metadata}) => `${kind}/${metadata.name}`).join(' ')}`)
        return {state: 'healthy'}
      },
      deleteFailedJobs: async () => [],
      nodeRolls: async () => [],
      heldRolls: async () => [],
      of: async () => ({state: 'healthy'}),
      watchHooks: async () => NO_HOOKS,
      ...given?.health,
    }),
    live: port({
      takeFluxFields: async (namespace, objects) => {
        log.push(
          `take the fields of Flux in ${namespace}: ${objects.map(({metadata}) => metadata.name).join(', ')}`,
        )
      },
      makeNamespace: async (name) => void log.push(`make namespace ${name}`),
      hasNamespace: async () => false,
      isNamespaceGoing: async () => false,
      createJobOf: async ({cronJob, job, variables}) => {
        log.push(`create ${job} of ${cronJob} with ${JSON.stringify(variables)}`)
        return {apiVersion: 'batch/v1', kind: 'Job', metadata: {name: job}}
      },
      exist: async () => true,
      present: async () => [],
      correct: async () => undefined,
      delete: async ({name}) => {
        log.push(`delete object ${name}`)
        return true
      },
      claims: async () => [],
      keep: async (namespace, {kind, metadata}) => {
        log.push(`keep ${kind} ${metadata.namespace ?? namespace}/${metadata.name}`)
        return true
      },
      deleteClaim: async ({name}) => void log.push(`delete claim ${name}`),
      ...given?.live,
    }),
    dryRuns: port({
      validate: async ({objects}) =>
        objects.map(({kind, metadata}) => ({object: `${kind}/${metadata.name}`, outcome: 'accepted'})),
      ...given?.dryRuns,
    }),
    apiServer: port({
      customKinds: async () => [],
      ...given?.apiServer,
    }),
    reservations: {
      declare: async ({required}) => void log.push(`reservation on ${required}`),
      withdraw: async () => void log.push('withdraw reservations'),
      on: async () => [],
      deletionMarker: async () => undefined,
      ...given?.reservations,
    },
  }

  const controls: Controls = {
    signal: abort.signal,
    appliedAwaited: setting.appliedAwaited ?? false,
    onProgress: (phase, message) => void log.push(`${phase}: ${message}`),
    onApplied: () => {
      log.push('applied')
      setting.onApplied?.()
    },
    onChanging: () => undefined,
    onDeleted: (object) => void log.push(`deleted ${object}`),
    onTested: (tests) => void log.push(...tests.map(({name, outcome}) => `${name} ${outcome}`)),
    onHelmEnded: () => void log.push('helm ended'),
  }
  const tools: Tools = {
    helm: {
      version: {major: setting.helmMajor ?? 4},
      install: helm('install'),
      upgrade: helm('upgrade'),
      rollback,
      test: async ({name, filter}) => {
        log.push('helm test')
        filters.push({name, ...filter})
        await setting.test?.()
      },
      uninstall: async () => {
        log.push('helm uninstall')
        record = undefined
      },
    },
    cluster: {
      ...cluster,
      records: port({
        ...cluster.records,
        // What it requires is there.
        last: async (release) =>
          release === 'openstack/keystone' ? cluster.records.last(release) : bareRecord(release),
      }),
    },
    environment: 'all-in-one',
    run: RUN,
    holder: 'operator@host',
    hold: newHold({cluster, holder: 'operator@host', actions: [], waits: true}),
    waits: true,
    agreement: newAgreement([]),
    clock: time.clock,
    journal: {note: async (transition) => void journal.push(transition)},
    mask: setting.mask ?? ((text) => text),
  }
  return {
    log,
    /** The calls of `helm test`. */
    filters,
    journal,
    /** What was written on the Lease beside annotations. */
    evidence,
    abort,
    leaseLost,
    now: time.clock.now,
    pass: time.pass,
    get record() {
      return record
    },
    set record(other: ReleaseRecord | undefined) {
      record = other
    },
    /** What was done, without progress and reservations. */
    deeds: () => log.filter((line) => !/^(lease|validate|helm|gate): |reservation/.test(line)),
    execute: (action: Action, work?: ChartWork | RemovalWork) =>
      execute(taskOf(action, work), {tools, controls}),
    prune: (revision: number, pruning: Pick<PruningWork, 'listDeletable'>) =>
      execute(taskOf(actionOf('prune', revision), {timeoutSeconds: 900, ...pruning}), {tools, controls}),
  }
}

const CHART = {name: 'keystone', version: '0.1.0', appVersion: ''}

export function taskOf(action: Action, work: Task['work'] = {timeoutSeconds: 900}): Task {
  return {kind: action.kind, action, work} as Task
}

export function actionOf<K extends ActionKind>(kind: K, revision: number): Action<K> {
  return {
    ...(kind === 'rollback' && {target: 0, uses: []}),
    release: 'openstack/keystone',
    kind,
    reasons: [],
    chart: CHART,
    requires: [],
    group: ['openstack/keystone'],
    revision,
    inputs: '',
    protected: false,
  } as unknown as Action<K>
}

export function workOf(
  desired: DesiredRelease = desiredOf('keystone'),
  work: Partial<ChartWork> = {},
): ChartWork {
  return {
    desired,
    chart: 'run/charts/keystone',
    values: {auth: {password: 'correct-horse-battery'}},
    timeoutSeconds: 60,
    objects: [HOOK],
    dropped: [],
    mixed: [],
    unvalidated: [],
    ...work,
  }
}

export function cause(more: Partial<Cause> = {}): Cause {
  return {object: 'Job/keystone-db-sync', message: 'it has not ended', ...more}
}

function patched(labels: Readonly<Record<string, string>>, changes: Readonly<Record<string, string | null>>) {
  return Object.fromEntries(
    Object.entries({...labels, ...changes}).filter((entry): entry is [string, string] => entry[1] !== null),
  )
}

function newTime() {
  let now = 1_000_000
  const waits = new Set<{at: number; end: (passed: boolean) => void}>()
  return {
    clock: {
      now: () => now,
      wait(milliseconds: number, signal: AbortSignal): Promise<boolean> {
        if (milliseconds <= 1000) return Promise.resolve(!signal.aborted)
        const {promise, resolve} = Promise.withResolvers<boolean>()
        const wait = {at: now + milliseconds, end: resolve}
        waits.add(wait)
        const abort = () => {
          waits.delete(wait)
          resolve(false)
        }
        if (signal.aborted) abort()
        signal.addEventListener('abort', abort)
        return promise
      },
    },
    pass(seconds: number): void {
      now += seconds * 1000
      for (const wait of waits) {
        if (wait.at > now) continue
        waits.delete(wait)
        wait.end(true)
      }
    },
  }
}
