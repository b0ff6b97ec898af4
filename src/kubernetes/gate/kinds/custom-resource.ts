import {atJsonPath, type ReadinessRule} from '../../../base/readiness.ts'
import {closedHealth, HEALTHY, type HealthOf} from './health.ts'
import {type Condition, findCondition, type Observed} from './observed.ts'

interface CustomResource extends Observed {
  readonly status?: {readonly observedGeneration?: number; readonly conditions?: readonly Condition[]}
}

/**
 * How long a new custom resource may have no status before it counts as healthy, in milliseconds. Leader
 * election of a restarted operator takes half a minute; some controllers never write a status.
 */
const STATUS_TIMEOUT_MS = 120_000

/** The inputs for the health of a kind's custom resources. */
interface HealthRules {
  readonly rule: ReadinessRule | undefined
  /** Whether the kind has the status subresource; its controller is then expected to write one. */
  readonly hasStatus: boolean
  /** Returns the time in milliseconds since the epoch, by the cluster's clock. */
  readonly now: () => number
}

/**
 * Returns the health of a custom resource. A rule of the environment decides; without one, as in kstatus, the
 * conditions Stalled, Reconciling, and Ready or Available, once the controller has observed the generation. A
 * custom resource without these conditions is healthy; if its kind has a status subresource but the object
 * has no status yet, kk waits up to `STATUS_TIMEOUT_MS`.
 */
export function customResourceHealth({rule, hasStatus, now}: HealthRules): HealthOf<CustomResource> {
  return (object) => {
    const {metadata, status} = object
    const wait = (message: string, condition?: Condition) =>
      closedHealth('waiting', object, {message, pods: [], ...causeFields(condition)})
    if (metadata.deletionTimestamp) return wait('it is being deleted')
    const isStale = (generation: number | undefined) =>
      generation !== undefined && generation < (metadata.generation ?? 0)
    if (isStale(status?.observedGeneration)) return wait('its controller has not seen the change yet')
    if (rule) {
      const value = atJsonPath(object, rule.path)
      if (value !== undefined && rule.values.includes(String(value))) return HEALTHY
      return wait(`${rule.path} is ${formatValue(value)}, not ${rule.values.join(' or ')}`)
    }
    const until = Date.parse(metadata.creationTimestamp ?? '') + STATUS_TIMEOUT_MS
    if (hasStatus && isEmpty(status) && now() < until) return {...wait(NO_STATUS), until}
    const condition = (type: string) => findCondition(object, type)
    const ready = condition('Ready') ?? condition('Available')
    if (isStale(ready?.observedGeneration))
      return wait(`its condition ${ready!.type} is of an earlier generation`, ready)
    const stalled = condition('Stalled')
    if (stalled?.status === 'True')
      return closedHealth('failed', object, {message: 'it is stalled', pods: [], ...causeFields(stalled)})
    const reconciling = condition('Reconciling')
    if (reconciling?.status === 'True') return wait('it is being reconciled', reconciling)
    if (!ready || ready.status === 'True') return HEALTHY
    return wait(`its condition ${ready.type} is ${ready.status}`, ready)
  }
}

const NO_STATUS = `its controller has written no status yet; without one it counts as healthy ${STATUS_TIMEOUT_MS / 1000} s after its creation`

function isEmpty(status: object | undefined): boolean {
  return Object.keys(status ?? {}).length === 0
}

function causeFields(condition: Condition | undefined) {
  if (!condition) return {}
  const {reason, message} = condition
  return {cause: {...(reason && {reason}), ...(message && {detail: message})}}
}

/** Formats a value for a message; never a whole map or list, which may hold secrets. */
function formatValue(value: unknown): string {
  if (value === undefined) return 'not set'
  return typeof value === 'object' ? 'a map or a list' : String(value).slice(0, 60)
}
