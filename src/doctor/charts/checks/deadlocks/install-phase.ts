import {hookEvents, hookWeight} from '../../../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../../../kubernetes/manifest/kubernetes-object.ts'

/** When helm creates an object: before, with or after the rest; hooks are ordered by weight, then name. */
export interface InstallPhase {
  readonly stage: 'before' | 'with' | 'after'
  readonly weight: number
  readonly name: string
  /**
   * Whether it is a hook of upgrades only, which runs with the former revision and does not block an
   * installation.
   */
  readonly isOfUpgrades: boolean
}

export function installPhase(object: KubernetesObject): InstallPhase {
  const events = hookEvents(object)
  const isOfUpgrades = events.length > 0 && events.every((event) => event.endsWith('-upgrade'))
  return {stage: stageOf(events), weight: hookWeight(object), name: object.metadata.name, isOfUpgrades}
}

function stageOf(events: readonly string[]): InstallPhase['stage'] {
  if (events.length === 0) return 'with'
  return events.includes('pre-install') ? 'before' : 'after'
}

const STAGES = ['before', 'with', 'after']

/**
 * Returns true if helm creates the first after the second. It creates the hooks of one stage sequentially,
 * and waits for each. Among those of the same weight and name, a Job comes last (Helm 4.2: hooks.go
 * hookByWeight, stable after the order of kinds).
 */
export function isLater(one: InstallPhase, other: InstallPhase): boolean {
  const stages = STAGES.indexOf(one.stage) - STAGES.indexOf(other.stage)
  if (stages !== 0 || one.stage === 'with') return stages > 0
  return one.weight === other.weight ? one.name > other.name : one.weight > other.weight
}
