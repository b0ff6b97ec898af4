import {atJsonPath, type ReadinessRule} from '../../../base/readiness.ts'
import {closed, HEALTHY, type HealthOf} from './health.ts'
import {type Condition, findCondition, type Observed} from './observed.ts'

interface CustomResource extends Observed {
  readonly status?: {readonly observedGeneration?: number; readonly conditions?: readonly Condition[]}
}

/**
 * The time after its creation for which a custom resource without a status is given time for one, in milliseconds:
 * electing the leader of an operator that has just been replaced takes half a minute. The wait is limited, since a
 * status may never be written.
 */
const FIRST_STATUS_MILLISECONDS = 120_000

/** The inputs that decide the health of a kind's custom resources. */
interface Judging {
  readonly rule: ReadinessRule | undefined
  /** Whether the kind has a subresource `status`, so that a controller is expected to write it. */
  readonly hasStatus: boolean
  /** Returns the time in milliseconds since the epoch, by the cluster's clock. */
  readonly now: () => number
}

/**
 * Returns the health of a custom resource. A rule of the environment decides; else, as in kstatus, its conditions
 * Stalled, Reconciling, and Ready or Available, once its controller has seen it. One without these is healthy by
 * existing, but if the kind has a status and the object none yet, its controller is given time to write it.
 */
export function customResourceHealth({rule, hasStatus, now}: Judging): HealthOf<CustomResource> {
  return (object) => {
    const {metadata, status} = object
    const wait = (message: string, condition?: Condition) =>
      closed('waiting', object, {message, pods: [], ...because(condition)})
    if (metadata.deletionTimestamp) return wait('it is being deleted')
    const isOld = (seen: number | undefined) => seen !== undefined && seen < (metadata.generation ?? 0)
    if (isOld(status?.observedGeneration)) return wait('its controller has not seen the change yet')
    if (rule) {
      const found = atJsonPath(object, rule.path)
      if (found !== undefined && rule.values.includes(String(found))) return HEALTHY
      return wait(`${rule.path} is ${text(found)}, not ${rule.values.join(' or ')}`)
    }
    const until = Date.parse(metadata.creationTimestamp ?? '') + FIRST_STATUS_MILLISECONDS
    if (hasStatus && isEmpty(status) && now() < until) return {...wait(NO_STATUS), until}
    const condition = (type: string) => findCondition(object, type)
    const ready = condition('Ready') ?? condition('Available')
    if (isOld(ready?.observedGeneration))
      return wait(`its condition ${ready!.type} is of an earlier state of it`, ready)
    const stalled = condition('Stalled')
    if (stalled?.status === 'True')
      return closed('failed', object, {message: 'it is stalled', pods: [], ...because(stalled)})
    const reconciling = condition('Reconciling')
    if (reconciling?.status === 'True') return wait('it is being reconciled', reconciling)
    if (!ready || ready.status === 'True') return HEALTHY
    return wait(`its condition ${ready.type} is ${ready.status}`, ready)
  }
}

const NO_STATUS = `its controller has written no status yet; without one it counts as healthy ${FIRST_STATUS_MILLISECONDS / 1000} s after it was made`

function isEmpty(status: object | undefined): boolean {
  return Object.keys(status ?? {}).length === 0
}

function because(condition: Condition | undefined) {
  if (!condition) return {}
  const {reason, message} = condition
  return {cause: {...(reason && {reason}), ...(message && {detail: message})}}
}

/** Returns a value for a message; never a whole map or list, which may hold secrets. */
function text(found: unknown): string {
  if (found === undefined) return 'not there'
  return typeof found === 'object' ? 'a map or a list' : String(found).slice(0, 60)
}
