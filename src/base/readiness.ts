/**
 * The rule that decides whether objects of a kind are ready: a path in them, and the values that mean ready.
 */
export interface ReadinessRule {
  /** The path, in the syntax of `kubectl wait --for=jsonpath`: `.status.phase`. */
  readonly path: string
  /** The object is ready if the path has one of these values. */
  readonly values: readonly string[]
}

/** Rules by `Kind.group`: `MariaDB.k8s.mariadb.com`. */
export type ReadinessRules = ReadonlyMap<string, ReadinessRule>

export const NO_RULES: ReadinessRules = new Map()

/** Returns the rule for objects of a kind, if there is one. */
export function ruleFor(
  rules: ReadinessRules,
  {apiVersion, kind}: {readonly apiVersion: string; readonly kind: string},
): ReadinessRule | undefined {
  return rules.get(`${kind}.${apiVersion.split('/')[0]}`)
}

/**
 * Matches one step of a path of `kubectl wait --for=jsonpath`: `.key`, `['key']`, `[0]`,
 * `[?(@.key=="value")]`.
 */
const STEP =
  /\.([A-Za-z_][\w-]*)|\['([^']+)'\]|\[(\d+)\]|\[\?\(@\.([A-Za-z_][\w-]*)\s*==\s*["']([^"']*)["']\)\]/y

/** The pattern of a whole path, for the schema of the environment file. */
export const JSON_PATH_PATTERN =
  "^(\\.[A-Za-z_][A-Za-z0-9_-]*|\\['[^']+'\\]|\\[[0-9]+\\]|\\[\\?\\(@\\.[A-Za-z_][A-Za-z0-9_-]* *== *[\"'][^\"']*[\"']\\)\\])+$"

/** Returns the value at a path in an object; undefined if there is none. */
export function atJsonPath(object: unknown, path: string): unknown {
  const step = new RegExp(STEP)
  let at = object
  while (step.lastIndex < path.length) {
    const match = step.exec(path)
    if (!match) return undefined
    const [, dotted, quoted, index, key, value] = match
    const name = dotted ?? quoted ?? index
    at = name === undefined ? itemWith(at, key!, value!) : child(at, name)
  }
  return at
}

function child(tree: unknown, name: string): unknown {
  if (typeof tree !== 'object' || tree === null) return undefined
  return (tree as Readonly<Record<string, unknown>>)[name]
}

function itemWith(list: unknown, key: string, value: string): unknown {
  if (!Array.isArray(list)) return undefined
  return list.find((each) => String(child(each, key)) === value)
}
