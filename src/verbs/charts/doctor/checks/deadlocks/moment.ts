import {hooksOf} from '../../../../../charts/manifests/waiter-of.ts'
import type {KubernetesObject} from '../../../../../cluster/cluster.ts'

/** When helm makes an object: before all others, with them, or after them; and among hooks by weight, then by name. */
export interface Moment {
  readonly stage: 'before' | 'with' | 'after'
  readonly weight: number
  readonly name: string
  /** Hooks of upgrades alone find what the revision before has made, and hold up no installation. */
  readonly isOfUpgrades: boolean
}

export function momentOf(object: KubernetesObject): Moment {
  const hooks = hooksOf(object)
  const weight = Number(object.metadata.annotations?.['helm.sh/hook-weight'] ?? 0)
  const isOfUpgrades = hooks.length > 0 && !hooks.some((hook) => !/-upgrade$/.test(hook))
  return {stage: stageOf(hooks), weight, name: object.metadata.name, isOfUpgrades}
}

function stageOf(hooks: readonly string[]): Moment['stage'] {
  if (hooks.length === 0) return 'with'
  return hooks.some((hook) => hook === 'pre-install' || hook === 'crd-install') ? 'before' : 'after'
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
