import type {Values} from '../../../release.ts'

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
