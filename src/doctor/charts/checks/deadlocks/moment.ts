import {hookEvents, hookWeight} from '../../../../kubernetes/manifest/helm-view.ts'
import type {KubernetesObject} from '../../../../kubernetes/manifest/kubernetes-object.ts'

/** When helm makes an object: before, with or after the rest; hooks among themselves by weight, then name. */
export interface Moment {
  readonly stage: 'before' | 'with' | 'after'
  readonly weight: number
  readonly name: string
  /** Whether it is a hook of upgrades alone, which finds the former revision and holds up no installation. */
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
 * Whether helm makes the first after the second. It makes the hooks of one stage one after the other, and waits for
 * each. Among those of the same weight and name, a Job comes last (Helm 4.2: hooks.go hookByWeight, stable after the
 * order of kinds).
 */
export function isLater(one: Moment, other: Moment): boolean {
  const stages = STAGES.indexOf(one.stage) - STAGES.indexOf(other.stage)
  if (stages !== 0 || one.stage === 'with') return stages > 0
  return one.weight === other.weight ? one.name > other.name : one.weight > other.weight
}
