/** The rule by which objects of a kind are ready: a path in them, and the values that it may have. */
export interface ReadinessRule {
  /** The path as `kubectl wait --for=jsonpath` takes it: `.status.phase`. */
  readonly path: string
  /** The values, of which one must be there. */
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
