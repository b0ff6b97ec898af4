import {pathPattern} from '../../base/path-pattern.ts'
import {isMap} from '../../base/values.ts'
import type {DryApply} from '../../kubernetes/dry-run/dry-runs.ts'
import type {KubernetesObject} from '../../kubernetes/manifest/kubernetes-object.ts'
import {differences, itemIndex, pathText} from './differences.ts'
import type {DriftedObject} from './drifted-object.ts'

/** Fields that another controller or user determines, though the manifest has them. */
export interface IgnoreRule {
  /**
   * JSON pointers (RFC 6901) to the fields, with everything below them; list items by their identity, as in
   * the output of `kk drift`: `/spec/template/spec/containers/[main]/image`.
   */
  readonly paths: readonly string[]
  /** The objects with these fields, by shell patterns; all objects if omitted. */
  readonly target?:
    | {
        readonly kind?: string | undefined
        readonly name?: string | undefined
        readonly namespace?: string | undefined
      }
    | undefined
}

type ObjectName = Pick<DriftedObject, 'kind' | 'name' | 'namespace'>

/** Returns a predicate for the ignored fields of an object, by their paths in the output of `kk drift`. */
export function ignoredFields(rules: readonly IgnoreRule[], object: ObjectName): (path: string) => boolean {
  const paths = rules
    .filter(({target}) => fits(object, target))
    .flatMap((rule) => rule.paths.map(formatPointer))
  return (path) =>
    paths.some((each) => path === each || (path.startsWith(each) && /^[.[]/.test(path.slice(each.length))))
}

function fits(object: ObjectName, target: IgnoreRule['target'] = {}): boolean {
  return (['kind', 'name', 'namespace'] as const).every((key) => {
    const pattern = target[key]
    return pattern === undefined || pathPattern(pattern)?.test(object[key]) === true
  })
}

/** Converts a JSON pointer to a path in the output of `kk drift`. */
function formatPointer(pointer: string): string {
  const keys = pointer.split('/').slice(1)
  return pathText(keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')))
}

/**
 * Returns the object of a dry run with its ignored fields as on the cluster, so that writing it does not
 * change them.
 */
export function withIgnoredAsLive(
  dry: DryApply & {readonly state: 'compared'},
  isIgnored: (path: string) => boolean,
): KubernetesObject {
  const ignored = differences(dry.live, dry.applied).filter(({path}) => isIgnored(pathText(path)))
  return ignored.reduce<unknown>(
    (object, {path, live}) => withField(object, path, live),
    dry.object,
  ) as KubernetesObject
}

/**
 * Returns a value with another one at this path, or without it if `field` is undefined; a missing path
 * changes nothing.
 */
function withField(value: unknown, [key, ...rest]: readonly string[], field: unknown): unknown {
  if (key === undefined) return field
  if (Array.isArray(value)) {
    const index = itemIndex(value, key)
    return index === -1 ? value : value.with(index, withField(value[index], rest, field))
  }
  if (!isMap(value)) return value
  const {[key]: before, ...others} = value
  const after = withField(before, rest, field)
  return after === undefined ? others : {...value, [key]: after}
}
