import type {DriftedObject} from './drifted-object.ts'

/** The maximum number of objects and of fields that a reason names; the rest is counted. */
const NAMED = 3

/**
 * The reason to upgrade a release whose objects are gone: changes of its dependents would never pass its
 * gate.
 */
export const OBJECTS_MISSING = 'objects of it are gone, and are made again'

/** Returns true if an action with these reasons re-creates objects that are gone. */
export function recreatesObjects(reasons: readonly string[]): boolean {
  return reasons.some(
    (reason) => reason === OBJECTS_MISSING || (reason.startsWith(DRIFTED) && reason.includes(IS_GONE)),
  )
}

/** Returns true if an action with these reasons resets what differs on the cluster. */
export function resetsDrift(reasons: readonly string[]): boolean {
  return reasons.some((reason) => reason === OBJECTS_MISSING || reason.startsWith(DRIFTED))
}

const DRIFTED = 'drifted: '
const IS_GONE = ' is gone'

/**
 * Returns the reason of an upgrade because of drift: `drifted: Deployment/api spec.replicas`; undefined
 * without drift.
 */
export function driftReason(objects: readonly DriftedObject[]): string | undefined {
  const drifted = objects.filter(({state}) => state !== 'unknown')
  if (drifted.length === 0) return undefined
  const texts = drifted.map(({kind, name, state, fields}) => {
    const paths = fields.slice(0, NAMED).map(({path}) => path)
    const more = fields.length > NAMED ? [`${fields.length - NAMED} more`] : []
    return `${kind}/${name}${state === 'gone' ? IS_GONE : ` ${[...paths, ...more].join(', ')}`}`
  })
  const more = texts.length > NAMED ? [`${texts.length - NAMED} more objects`] : []
  return `${DRIFTED}${[...texts.slice(0, NAMED), ...more].join('; ')}`
}
