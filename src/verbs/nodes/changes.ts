import {DEFAULT_MIGRATIONS} from '../../nodes/drain-plan.ts'
import type {OperationEvent} from '../../nodes/facts.ts'
import {add, planAdd, refuseIfLacking} from './add.ts'
import type {Names} from './drain.ts'
import {drain, planDrain} from './drain.ts'
import {evacuate, planEvacuate, refuseIfAlive} from './evacuate.ts'
import {planRemove, type RemoveOptions, refuseIfInUse, remove} from './remove.ts'
import {planReplace, type ReplaceOptions, type ReplacePorts, refuseIfNeeded, replace} from './replace.ts'
import {type Returned, returnNode} from './return.ts'

export interface NodeChangeOptions extends RemoveOptions, ReplaceOptions {
  /** How many instances a drain moves at once. */
  readonly concurrency?: number | undefined
}

/** A change of one node of a cloud: planned, refused if it must not be, and carried out. Idempotent. */
export interface NodeChange<Plan, Result> {
  /** The time that it may take if the user states none. */
  readonly timeoutSeconds: number
  plan(
    cluster: ReplacePorts,
    options: NodeChangeOptions,
  ): Promise<{readonly plan: Plan; readonly names?: Names}>
  /** Throws if the plan must not be carried out. */
  refuse(plan: Plan): void
  execute(cluster: ReplacePorts, options: NodeChangeOptions & {readonly plan: Plan}): Promise<Result>
  /** Whether nothing is left to do. */
  isDone(result: Result): boolean
}

/** Each restores the state of a guest from its disk, which burdens the storage more than a live migration. */
const EVACUATIONS = 4

const change = <Plan, Result>(of: NodeChange<Plan, Result>) => of
const hasFailed = (operations: readonly OperationEvent[]) => operations.some(({event}) => event === 'failed')
const never = () => undefined

/** The changes of a node, by the words of `kk node`. */
export const NODE_CHANGES = {
  drain: change({
    timeoutSeconds: 3600,
    plan: planDrain,
    refuse: never,
    execute: (cluster, options) =>
      drain(cluster, {...options, concurrency: options.concurrency ?? DEFAULT_MIGRATIONS}),
    isDone: ({isEmpty}) => isEmpty,
  }),
  return: change<undefined, Returned>({
    timeoutSeconds: 900,
    plan: async () => ({plan: undefined}),
    refuse: never,
    execute: returnNode,
    isDone: ({operations, isSchedulable}) => isSchedulable && !hasFailed(operations),
  }),
  evacuate: change({
    timeoutSeconds: 1800,
    plan: (cluster, options) => planEvacuate(cluster, options),
    refuse: refuseIfAlive,
    execute: (cluster, options) => evacuate(cluster, {...options, concurrency: EVACUATIONS}),
    isDone: ({operations, stays}) => stays.length === 0 && !hasFailed(operations),
  }),
  remove: change({
    timeoutSeconds: 900,
    plan: async (cluster, options) => ({plan: await planRemove(cluster, options)}),
    refuse: refuseIfInUse,
    execute: remove,
    isDone: ({operations, left}) => left.length === 0 && !hasFailed(operations),
  }),
  add: change({
    timeoutSeconds: 900,
    plan: async (cluster, options) => ({plan: await planAdd(cluster, options)}),
    refuse: refuseIfLacking,
    execute: add,
    isDone: ({takesInstances}) => takesInstances,
  }),
  replace: change({
    timeoutSeconds: 1800,
    plan: async (cluster, options) => ({plan: await planReplace(cluster, options)}),
    refuse: refuseIfNeeded,
    execute: replace,
    isDone: () => true,
  }),
}

export type NodeChangeName = keyof typeof NODE_CHANGES
