import {KkError} from '../../base/errors.ts'
import {isMap, type Values} from '../../base/values.ts'
import {digest} from '../digest.ts'
import {SAVED_FORMAT, type SavedPlan} from './saved-plan.ts'

/**
 * Returns the content of the file: JSON with a digest of the rest, which detects a truncated or edited file.
 */
export function savedPlanText(plan: SavedPlan): string {
  return `${JSON.stringify({...plan, digest: digest(plan)}, undefined, 2)}\n`
}

/** Reads the string that `savedPlanText` returned. Throws `KK_SAVED_PLAN`; `file` is for the message. */
export function readSavedPlan(text: string, file: string): SavedPlan {
  const content = parse(text)
  if (!isMap(content) || content.kind !== 'kk-plan')
    throw unusable(file, 'it is not a plan that kk has saved')
  if (content.format !== SAVED_FORMAT) {
    const by = typeof content.kk === 'string' ? ` by kk ${content.kk}` : ''
    throw unusable(
      file,
      `it was saved${by} in format ${String(content.format)}; this version of kk reads format ${SAVED_FORMAT}`,
    )
  }
  const {digest: recordedDigest, ...plan} = content
  if (recordedDigest !== digest(plan))
    throw unusable(file, 'it was changed after it was saved: its digest does not match its content')
  if (!isSavedPlan(plan)) throw unusable(file, 'a field of a saved plan is missing, or has another type')
  return plan as unknown as SavedPlan
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Returns true if every field that kk reads of a saved plan exists with its type. */
function isSavedPlan(plan: Values): boolean {
  const {scope, environment, values, cluster, releases} = plan
  return (
    areTexts(plan, ['kk', 'savedAt', 'verb']) &&
    typeof plan.schema === 'number' &&
    isMap(scope) &&
    isList(scope.names, isText) &&
    typeof scope.install === 'boolean' &&
    isPath(environment, ['name']) &&
    isList(values, (each) => isPath(each, ['release'])) &&
    areTexts(cluster, ['context', 'server', 'uid', 'version']) &&
    isList(releases, isRelease)
  )
}

function isRelease(value: unknown): boolean {
  if (!areTexts(value, ['release', 'kind', 'inputs'])) return false
  const {chart, layers, requires, record} = value
  return (
    areTexts(chart, ['name', 'version']) &&
    isMap(layers) &&
    Object.values(layers).every(isText) &&
    isList(requires, isText) &&
    typeof value.stated === 'boolean' &&
    typeof value.protected === 'boolean' &&
    (record === null ||
      (areTexts(record, ['uid', 'resourceVersion', 'status']) && typeof record.revision === 'number'))
  )
}

function isPath(value: unknown, more: readonly string[]): boolean {
  return areTexts(value, ['file', 'absolute', 'relative', ...more])
}

function areTexts(value: unknown, keys: readonly string[]): value is Values {
  return isMap(value) && keys.every((key) => isText(value[key]))
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isList(value: unknown, isItem: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(isItem)
}

function unusable(file: string, why: string): KkError {
  return new KkError('KK_SAVED_PLAN', `${file} cannot be used as a plan: ${why}`, {
    hint: `save the plan again with: kk plan --save ${file}`,
  })
}
