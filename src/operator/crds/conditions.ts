import type {Schema, ValueOf} from './schema.ts'

const CONDITION = {
  type: 'object',
  required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
  properties: {
    type: {type: 'string', maxLength: 64},
    status: {type: 'string', enum: ['True', 'False', 'Unknown']},
    reason: {type: 'string', maxLength: 128},
    message: {type: 'string', maxLength: 1024},
    lastTransitionTime: {type: 'string', format: 'date-time'},
    observedGeneration: {type: 'integer', format: 'int64'},
  },
} as const satisfies Schema

/** Conditions as kstatus reads them: `Ready` always, `Reconciling` and `Stalled` only while they are true. */
export const CONDITIONS = {
  type: 'array',
  description: 'Conditions of the object, as kstatus defines them.',
  items: CONDITION,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
} as const satisfies Schema

export type Condition = ValueOf<typeof CONDITION>

/** The new value of one condition, without times: `mergeConditions` adds them. */
export type ConditionInput = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>

interface Before {
  readonly conditions?: readonly Condition[] | undefined
}

const MAX_MESSAGE_LENGTH = 1024

/** Returns conditions with their times: `lastTransitionTime` is kept if the status has not changed. */
export function mergeConditions(
  findings: readonly ConditionInput[],
  {conditions: before = []}: Before,
  {generation, now}: {readonly generation: number; readonly now: string},
): readonly Condition[] {
  return findings.map(({message, ...finding}) => {
    const earlier = before.find(({type}) => type === finding.type)
    const lastTransitionTime = earlier?.status === finding.status ? earlier.lastTransitionTime : now
    return {
      ...finding,
      message: message.slice(0, MAX_MESSAGE_LENGTH),
      lastTransitionTime,
      observedGeneration: generation,
    }
  })
}

/** Formats a time, in milliseconds since the epoch, as `metav1.Time` does: RFC 3339 in whole seconds. */
export function formatTime(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`
}
