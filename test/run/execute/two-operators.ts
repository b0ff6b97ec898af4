import {KkError} from '../../../src/base/errors.ts'
import {NO_HOOKS} from '../../../src/kubernetes/gate/watch-hooks.ts'
import type {ReleaseRecord} from '../../../src/kubernetes/records/release-record.ts'
import {DELETION_MARKER} from '../../../src/kubernetes/reservations/reservation.ts'
import {labelsOf, readLabels, usesLabel} from '../../../src/plan/labels.ts'
import type {ReleaseId} from '../../../src/release.ts'
import {newAgreement} from '../../../src/run/execute/agreement.ts'
import {execute} from '../../../src/run/execute/execute.ts'
import type {Tools} from '../../../src/run/execute/execution.ts'
import {newHold} from '../../../src/run/execute/lease.ts'
import type {RemovalWork} from '../../../src/run/task.ts'
import {id} from '../../graph/graph-of.ts'
import {port} from '../../kubernetes/support/port.ts'
import {bareRecord, desiredOf} from '../../plan/fixtures.ts'
import {heldLease} from './held-lease.ts'
import {actionOf, MANIFEST, taskOf, workOf} from './world.ts'

export const MARIADB = id('mariadb')
const KEYSTONE = id('keystone')

/**
 * What two operators find: the records, Leases and reservations of one cluster, whatever they do at the same
 * time.
 */
interface Shared {
  readonly records: Map<ReleaseId, ReleaseRecord>
  readonly leases: Map<ReleaseId, {readonly holder: string; readonly notes: Record<string, string | null>}>
  readonly reservations: {readonly required: ReleaseId; readonly dependent: ReleaseId}[]
}

export type Patience = 'waits' | 'gives up'

interface Operator {
  readonly name: string
  /** Takes a turn; a step that must wait for another tells when it can be done. */
  step<T>(does: () => T, canBeDone?: () => boolean): Promise<T>
}

export interface Ending {
  readonly shared: Shared
  /** The code of the error that each ended with; undefined when it did what it was to do. */
  readonly install: string | undefined
  readonly remove: string | undefined
}

/**
 * Plays one who makes keystone require mariadb against one who removes mariadb, in every order of their
 * steps.
 */
export async function everyInterleaving(
  verb: 'install' | 'relabel',
  patience: Patience,
): Promise<readonly Ending[]> {
  const endings: Ending[] = []
  const open: (readonly number[])[] = [[]]
  for (let choices = open.pop(); choices !== undefined; choices = open.pop()) {
    const {ending, made} = await play(verb, patience, choices)
    endings.push(ending)
    for (let place = choices.length; place < made.length; place++) {
      if (made[place]!.of === 2) open.push([...made.slice(0, place).map(({chosen}) => chosen), 1])
    }
  }
  return endings
}

interface Turn {
  readonly canBeDone: () => boolean
  readonly go: () => void
}

async function play(verb: 'install' | 'relabel', patience: Patience, choices: readonly number[]) {
  const shared = newCluster(verb)
  const waiting = new Map<string, Turn>()
  let arrived = Promise.withResolvers<void>()
  const operator = (name: string): Operator => ({
    name,
    async step(does, canBeDone = () => true) {
      const turn = Promise.withResolvers<void>()
      waiting.set(name, {canBeDone, go: turn.resolve})
      arrived.resolve()
      await turn.promise
      return does()
    },
  })
  const codes = new Map<string, string | undefined>()
  const ended = (name: string, acting: Promise<unknown>) =>
    acting
      .then(
        () => codes.set(name, undefined),
        (error: unknown) => codes.set(name, error instanceof KkError ? error.code : String(error)),
      )
      .then(() => arrived.resolve())

  const made: {readonly chosen: number; readonly of: number}[] = []
  const [installer, remover] = [operator('installer'), operator('remover')]
  void ended('installer', require(installer, shared, verb, patience))
  void ended('remover', remove(remover, shared))
  for (;;) {
    while (waiting.size + codes.size < 2) {
      await arrived.promise
      arrived = Promise.withResolvers()
    }
    const ready = [...waiting].filter(([, {canBeDone}]) => canBeDone()).sort(([a], [b]) => (a < b ? -1 : 1))
    if (ready.length === 0) break
    const chosen = ready.length === 1 ? 0 : (choices[made.length] ?? 0)
    made.push({chosen, of: ready.length})
    const [name, turn] = ready[chosen]!
    waiting.delete(name)
    turn.go()
  }
  return {ending: {shared, install: codes.get('installer'), remove: codes.get('remover')}, made}
}

function newCluster(verb: 'install' | 'relabel'): Shared {
  const keystone = {...bareRecord(KEYSTONE), labels: labelsOf(desiredOf('keystone'), 1)}
  const mariadb = {...bareRecord(MARIADB), labels: labelsOf(desiredOf('mariadb'), 1)}
  const installed: [ReleaseId, ReleaseRecord][] = verb === 'relabel' ? [[KEYSTONE, keystone]] : []
  return {records: new Map([[MARIADB, mariadb], ...installed]), leases: new Map(), reservations: []}
}

function require(
  operator: Operator,
  shared: Shared,
  verb: 'install' | 'relabel',
  patience: Patience,
): Promise<unknown> {
  const work = workOf(desiredOf('keystone', {requires: ['mariadb']}))
  const tools = toolsOf(operator, shared, patience)
  const action = actionOf(verb, verb === 'install' ? 0 : 1)
  return execute(taskOf(action, work), {tools, controls: controls()})
}

function remove(operator: Operator, shared: Shared): Promise<unknown> {
  const isUsed = () => [...shared.records.values()].some(({labels}) => usesLabel(MARIADB) in labels)
  const removal: RemovalWork = {
    uid: 'uid-mariadb',
    objects: [],
    hooks: [],
    values: {},
    claims: [],
    ignored: new Set(),
    timeoutSeconds: 60,
    refusal: () =>
      operator.step(() => (isUsed() ? new KkError('KK_HAS_DEPENDENTS', 'keystone uses it') : undefined)),
    onEnded: async () => undefined,
  }
  const action = {...actionOf('remove', 1), release: MARIADB, group: [MARIADB]}
  const tools = toolsOf(operator, shared, 'waits')
  return execute(taskOf(action, removal), {tools, controls: controls()})
}

/** Only steps that the other can see take a turn: fewer orders to play, none that differs left out. */
function toolsOf(operator: Operator, {records, leases, reservations}: Shared, patience: Patience): Tools {
  const {name, step} = operator
  const stepOn = <T>(release: ReleaseId, does: () => T) => (release === MARIADB ? step(does) : does())
  const isFree = (release: ReleaseId) => (leases.get(release)?.holder ?? name) === name
  const cluster: Tools['cluster'] = {
    leases: port({
      async hold(release) {
        const take = () => {
          if (!isFree(release)) throw new KkError('KK_HELD', 'it is held')
          leases.set(release, {holder: name, notes: {}})
        }
        const canBeDone = () => patience === 'gives up' || isFree(release)
        await (release === MARIADB ? step(take, canBeDone) : take())
        return heldLease({
          annotate: (notes) => step(() => void leases.set(release, {holder: name, notes})),
          release: async () => stepOn(release, () => void leases.delete(release)),
        })
      },
      read: async () => undefined,
      now: () => 0,
    }),
    health: port({
      log: async () => [],
      deleteFailedJobs: async () => [],
      gate: async () => ({state: 'healthy'}),
      nodeRolls: async () => [],
      heldRolls: async () => [],
      of: async () => ({state: 'healthy'}),
      watchHooks: async () => NO_HOOKS,
    }),
    records: port({
      markFailed: () => Promise.reject(new Error('nothing is left unfinished')),
      last: async (release) =>
        name === 'installer' ? stepOn(release, () => records.get(release)) : records.get(release),
      stored: async (release) => {
        const record = records.get(release)
        const chart = {name: 'keystone', version: '0.1.0', appVersion: ''}
        return record && {...record, manifest: '', values: {}, hooks: [], chart, applyMethod: undefined}
      },
      label: (record, labels) =>
        step(() => {
          const before = records.get(record.release)!
          records.set(record.release, {...before, labels: {...before.labels, ...withoutNull(labels)}})
        }),
      revisions: async () => [],
    }),
    live: port({
      makeNamespace: async () => undefined,
      hasNamespace: async () => true,
      isNamespaceGoing: async () => false,
      createJobOf: async () => {
        throw new Error('no Job is made here')
      },
      takeFluxFields: async () => undefined,
      exist: async () => true,
      present: async () => [],
      correct: async () => undefined,
      keep: async () => false,
      claims: async () => [],
      deleteClaim: async () => undefined,
      delete: async () => true,
    }),
    dryRuns: port({validate: async () => []}),
    apiServer: port({customKinds: async () => []}),
    reservations: {
      declare: ({required, dependent}) => step(() => void reservations.push({required, dependent})),
      withdraw: async (dependent) => {
        const others = reservations.filter((reservation) => reservation.dependent !== dependent)
        if (dependent !== MARIADB)
          await step(() => void reservations.splice(0, reservations.length, ...others))
      },
      on: (release) =>
        step(() =>
          reservations
            .filter(({required}) => required === release)
            .map((reservation) => ({...reservation, name: 'kk-intent', operator: 'other', deadline: 1})),
        ),
      deletionMarker: (release) =>
        step(() => {
          const lease = leases.get(release)
          return lease?.notes[DELETION_MARKER] == null ? undefined : {holder: lease.holder}
        }),
    },
  }
  return {
    environment: 'all-in-one',
    run: name,
    holder: name,
    hold: newHold({cluster, holder: name, actions: [], waits: true}),
    waits: true,
    agreement: newAgreement([]),
    clock: {
      now: () => 0,
      wait: (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve(false))),
    },
    journal: {note: async () => undefined},
    mask: (text) => text,
    helm: {
      version: {major: 4},
      install: () =>
        step(() => {
          const labels = labelsOf(desiredOf('keystone', {requires: ['mariadb']}), 1)
          records.set(KEYSTONE, {...bareRecord(KEYSTONE), labels})
          return {revision: 1, status: 'deployed', manifest: MANIFEST, hooks: []}
        }),
      upgrade: () => Promise.reject(new Error('nobody upgrades')),
      rollback: () => Promise.reject(new Error('nobody rolls back')),
      test: () => Promise.reject(new Error('nobody tests')),
      uninstall: ({name: release}) => step(() => void records.delete(id(release))),
    },
    cluster,
  }
}

function controls() {
  return {
    signal: new AbortController().signal,
    appliedAwaited: false,
    onProgress: () => undefined,
    onApplied: () => undefined,
    onDeleted: () => undefined,
    onTested: () => undefined,
    onChanging: () => undefined,
    onHelmEnded: () => undefined,
  }
}

function withoutNull(labels: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).filter((entry): entry is [string, string] => entry[1] !== null),
  )
}

/** Whether keystone is there and requires mariadb. */
export function requiresMariadb({records}: Shared): boolean {
  const labels = records.get(KEYSTONE)?.labels
  return labels !== undefined && readLabels(labels)!.uses.has(usesLabel(MARIADB))
}
