import type {Intent} from '../../../../cluster/intents/intent.ts'
import {KK_NAMESPACE} from '../../../../cluster/lease/lease.ts'
import type {Check, Found} from '../finding.ts'
import {isGone} from './dead-holder.ts'

/** Intents of operators who are dead: nobody can remove what these were about to use. */
export const intentsCheck: Check = {
  name: 'intents',
  needs: 'cluster',
  fine: 'no intent is left of a run that is dead',
  async find({cluster, now, kubectl}) {
    const intents = await cluster.diagnosis.intents()
    const found = intents.map(async (intent) =>
      judgeIntent({intent, now, isDead: await isGone(intent.operator), kubectl}),
    )
    return (await Promise.all(found)).flat()
  },
}

interface IntentInputs {
  readonly intent: Intent
  readonly now: number
  readonly isDead: boolean
  readonly kubectl: string
}

export function judgeIntent({intent, now, isDead, kubectl}: IntentInputs): readonly Found[] {
  const {name, required, dependent, operator, deadline} = intent
  if (!isDead && deadline > now) return []
  const why = isDead
    ? 'whose process is gone'
    : `whose deadline passed at ${new Date(deadline).toISOString()}`
  const what = `${required} counts as used by ${dependent}, which ${operator}, ${why}, was about to install; the next run of ${dependent} takes that away, too`
  return [{level: 'warning', what, advice: `${kubectl} delete configmap ${name} --namespace ${KK_NAMESPACE}`}]
}
