import type {KubernetesObject} from '../../../../../cluster/cluster.ts'
import {hookEvents, hookWeight} from '../../../../../cluster/helm-annotations.ts'

/** When helm makes an object: before all others, with them, or after them; and among hooks by weight, then by name. */
export interface Moment {
  readonly stage: 'before' | 'with' | 'after'
  readonly weight: number
  readonly name: string
  /** Hooks of upgrades alone find what the revision before has made, and hold up no installation. */
  readonly isOfUpgrades: boolean
}

export function momentOf(object: KubernetesObject): Moment {
  const events = hookEvents(object)
  const isOfUpgrades = events.length > 0 && events.every((event) => event.endsWith('-upgrade'))
  return {stage: stageOf(events), weight: hookWeight(object), name: object.metadata.name, isOfUpgrades}
}

function stageOf(events: readonly string[]): Moment['stage'] {
  if (events.length === 0) return 'with'
  return events.includes('pre-install') ? 'before' : 'after'
}

const STAGES = ['before', 'with', 'after']

/**
 * Hooks of one stage are made one after the other, and each is waited for. Of one weight and name, a Job comes last
 * (Helm 4.2: hooks.go hookByWeight, stable after the order of kinds).
 */
export function isLater(one: Moment, other: Moment): boolean {
  const stages = STAGES.indexOf(one.stage) - STAGES.indexOf(other.stage)
  if (stages !== 0 || one.stage === 'with') return stages > 0
  return one.weight === other.weight ? one.name > other.name : one.weight > other.weight
}
