/** When objects of a kind are ready: a place in them, and what must stand there. */
export interface ReadinessRule {
  /** As `kubectl wait --for=jsonpath` takes it: `.status.phase`. */
  readonly path: string
  /** Any of these. */
  readonly values: readonly string[]
}

/** Rules by `Kind.group`: `MariaDB.k8s.mariadb.com`. */
export type ReadinessRules = ReadonlyMap<string, ReadinessRule>

export const NO_RULES: ReadinessRules = new Map()

/** The rule for objects of a kind, if there is one. */
export function ruleFor(
  rules: ReadinessRules,
  {apiVersion, kind}: {readonly apiVersion: string; readonly kind: string},
): ReadinessRule | undefined {
  return rules.get(`${kind}.${apiVersion.split('/')[0]}`)
}
