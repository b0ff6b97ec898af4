import type {Values} from '../../../base/values.ts'
import type {Facts} from '../../facts/facts.ts'
import {ifKnown} from './compose.ts'

/** The share of one component in a machine that runs all services. */
export interface Share {
  /** The memory, in MiB. */
  readonly memory: number
  /** The CPU time, in thousandths of a CPU. */
  readonly cpu: number
}

/** The share of an API of Python processes. */
export const API: Share = {memory: 1024, cpu: 1000}
/** The share of a service that only answers the message bus. */
export const WORKER: Share = {memory: 1024, cpu: 1000}
/** The share of an agent that runs on every node next to others. */
export const AGENT: Share = {memory: 512, cpu: 500}

/** Returns limits, and small requests, on one machine; undefined elsewhere, where idle machines need none. */
export function limits(
  allInOne: boolean | undefined,
  components: Readonly<Record<string, Share>>,
): Values | undefined {
  if (!allInOne) return undefined
  const resources = Object.entries(components).map(([component, share]) => [component, resourcesOf(share)])
  return {pod: {resources: {enabled: true, ...Object.fromEntries(resources)}}}
}

/** Returns a share as resources of Kubernetes. */
export function resourcesOf({memory, cpu}: Share): Values {
  return {
    requests: {cpu: `${Math.min(100, cpu)}m`, memory: `${Math.min(128, memory)}Mi`},
    limits: {cpu: `${cpu}m`, memory: `${memory}Mi`},
  }
}

/**
 * Returns the processes of a service per pod: one on one machine, else by the CPUs of the smallest
 * controller.
 */
export function workers({cpus, allInOne}: Pick<Facts, 'cpus' | 'allInOne'>): number | undefined {
  if (allInOne) return 1
  return cpus === undefined ? undefined : Math.min(8, Math.max(2, Math.floor(cpus / 4)))
}

/**
 * Returns a part of the smallest controller's memory, in MiB, as a power of two between two bounds. Such
 * coarse steps do not change, and restart nothing, if a node reports some KiB less after a kernel update.
 */
export function memoryPart(
  memory: number | undefined,
  {parts, least, most}: {readonly parts: number; readonly least: number; readonly most: number},
): number | undefined {
  if (memory === undefined) return undefined
  const power = 2 ** Math.floor(Math.log2(Math.max(1, memory / parts)))
  return Math.min(most, Math.max(least, power))
}

/** Returns the setting of kk's charts that updates a tenth of the compute nodes at once. */
export function rollingUpdateOfNodes(computes: number | undefined): Values | undefined {
  return ifKnown(computes, (count) => {
    const rolling_update = {max_unavailable: tenth(count)}
    return {pod: {lifecycle: {upgrades: {daemonsets: {rolling_update}}}}}
  })
}

/**
 * Returns settings that update daemons on a tenth of the compute nodes at once: one by one could take a
 * night.
 */
export function rollingUpdateOfDaemons(
  computes: number | undefined,
  daemons: readonly string[],
): Values | undefined {
  return ifKnown(computes, (count) => {
    if (count === 0) return undefined
    const pace = {enabled: true, min_ready_seconds: 0, max_unavailable: tenth(count)}
    return {
      pod: {lifecycle: {upgrades: {daemonsets: Object.fromEntries(daemons.map((daemon) => [daemon, pace]))}}},
    }
  })
}

function tenth(count: number): number {
  return Math.max(1, Math.floor(count / 10))
}

/** Returns one replica of each component per controller. */
export function replicas(controllers: number | undefined, components: readonly string[]): Values | undefined {
  return ifKnown(controllers, (count) => replicasOf(count, components))
}

/** Returns the replicas of a component whose members vote. */
export function quorumReplicas(
  controllers: number | undefined,
  component: string,
  count: (controllers: number) => number,
): Values | undefined {
  return ifKnown(controllers, (total) => replicasOf(count(total), [component]))
}

/**
 * Returns the members of the message bus: odd, because a majority must remain and one more would not help.
 */
export function rabbitmqMembers(controllers: number): number {
  return largestOdd(Math.min(controllers, 5))
}

/**
 * Returns the number of members of the database: at most three, because each waits for all others at every
 * write.
 */
export function databaseMembers(controllers: number): number {
  return largestOdd(Math.min(controllers, 3))
}

/** Returns a fixed number of replicas of a component, if the number of controllers is known. */
export function fixed(controllers: number | undefined, component: string, count: number): Values | undefined {
  return ifKnown(controllers, () => replicasOf(count, [component]))
}

function largestOdd(count: number): number {
  return Math.max(1, count % 2 === 0 ? count - 1 : count)
}

function replicasOf(count: number, components: readonly string[]): Values {
  return {pod: {replicas: Object.fromEntries(components.map((component) => [component, count]))}}
}

/** Returns an affinity that spreads the pods of a component over failure domains, if there are several. */
export function spread({zones, allInOne}: Pick<Facts, 'zones' | 'allInOne'>): Values | undefined {
  return ifKnown(zones, ({length}) => {
    if (length < 2 || allInOne) return undefined
    return {pod: {affinity: {anti: {topologyKey: {default: 'topology.kubernetes.io/zone'}}}}}
  })
}
