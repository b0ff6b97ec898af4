import type {Values} from '../../../release.ts'
import {given} from './compose.ts'

/** What one component may take on a machine that runs everything. */
export interface Share {
  /** In MiB. */
  readonly memory: number
  /** In thousandths of a CPU. */
  readonly cpu: number
}

/** An API of Python processes. */
export const API: Share = {memory: 1024, cpu: 1000}
/** A service without an API: it answers the message bus. */
export const WORKER: Share = {memory: 1024, cpu: 1000}
/** Beside others on every node. */
export const AGENT: Share = {memory: 512, cpu: 500}

/** Limits, and small requests, when everything is on one machine; nothing otherwise: an idle limit helps nobody. */
export function limits(
  allInOne: boolean | undefined,
  components: Readonly<Record<string, Share>>,
): Values | undefined {
  if (!allInOne) return undefined
  const resources = Object.entries(components).map(([component, share]) => [component, resourcesOf(share)])
  return {pod: {resources: {enabled: true, ...Object.fromEntries(resources)}}}
}

/** A share as Kubernetes has it. */
export function resourcesOf({memory, cpu}: Share): Values {
  return {
    requests: {cpu: `${Math.min(100, cpu)}m`, memory: `${Math.min(128, memory)}Mi`},
    limits: {cpu: `${cpu}m`, memory: `${memory}Mi`},
  }
}

/** Processes of a service per pod: one where everything shares a machine, else by the CPUs of the smallest controller. */
export function workers({
  cpus,
  allInOne,
}: {
  readonly cpus?: number
  readonly allInOne?: boolean
}): number | undefined {
  if (allInOne) return 1
  return cpus === undefined ? undefined : Math.min(8, Math.max(2, Math.floor(cpus / 4)))
}

/**
 * A part of the smallest controller's memory, in MiB, as a power of two between two bounds. Steps that coarse do not
 * change, and so restart nothing, when a node reports some KiB less after its kernel was renewed.
 */
export function memoryPart(
  memory: number | undefined,
  {parts, least, most}: {readonly parts: number; readonly least: number; readonly most: number},
): number | undefined {
  if (memory === undefined) return undefined
  const power = 2 ** Math.floor(Math.log2(Math.max(1, memory / parts)))
  return Math.min(most, Math.max(least, power))
}

/** What runs on every compute node is renewed on a tenth of them at once: one by one would take a night. */
export function daemonPace(computes: number | undefined, daemons: readonly string[]): Values | undefined {
  return given(computes, (count) => {
    if (count === 0) return undefined
    const max_unavailable = Math.max(1, Math.floor(count / 10))
    const pace = {enabled: true, min_ready_seconds: 0, max_unavailable}
    return {
      pod: {
        lifecycle: {
          upgrades: {daemonsets: Object.fromEntries(daemons.map((daemon) => [daemon, pace]))},
        },
      },
    }
  })
}

/** One of each component per controller. */
export function replicas(controllers: number | undefined, components: readonly string[]): Values | undefined {
  return given(controllers, (count) => replicasOf(count, components))
}

/** A component whose members vote. */
export function voters(
  controllers: number | undefined,
  component: string,
  count: (controllers: number) => number,
): Values | undefined {
  return given(controllers, (known) => replicasOf(count(known), [component]))
}

/** Members of the message bus: a majority must remain, so one more than an odd number would help nobody. */
export function busSize(controllers: number): number {
  return largestOdd(Math.min(controllers, 5))
}

/** Members of the database: each waits for all others at every write, so there are never more than three. */
export function databaseSize(controllers: number): number {
  return largestOdd(Math.min(controllers, 3))
}

/** A fixed number of a component, once anything is known of the cloud's size. */
export function fixed(controllers: number | undefined, component: string, count: number): Values | undefined {
  return given(controllers, () => replicasOf(count, [component]))
}

function largestOdd(count: number): number {
  return Math.max(1, count % 2 === 0 ? count - 1 : count)
}

function replicasOf(count: number, components: readonly string[]): Values {
  return {pod: {replicas: Object.fromEntries(components.map((component) => [component, count]))}}
}

/** Pods of one component go to different failure domains where there are some, not only to different nodes. */
export function spread({
  zones,
  allInOne,
}: {
  readonly zones?: readonly string[]
  readonly allInOne?: boolean
}): Values | undefined {
  return given(zones, ({length}) => {
    if (length < 2 || allInOne) return undefined
    return {pod: {affinity: {anti: {topologyKey: {default: 'topology.kubernetes.io/zone'}}}}}
  })
}
