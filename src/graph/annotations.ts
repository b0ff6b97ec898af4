/** The prefix of kk's annotations in `Chart.yaml`; Helm stores them in the record of each release. */
export const PREFIX = 'kk.openstack.org/'
export const REQUIRES = `${PREFIX}requires`
export const PROTECTED = `${PREFIX}protected`
export const SHARED = `${PREFIX}shared-infrastructure`
export const ANNOTATIONS: readonly string[] = [REQUIRES, PROTECTED, SHARED]

type Annotations = Readonly<Record<string, string>>

/**
 * Returns the requirements in a chart's annotation, verbatim: `mariadb`, `neutron:applied`,
 * `namespace/mariadb`, `ceph?`.
 */
export function statedRequirements(annotations: Annotations): readonly string[] {
  const words = (annotations[REQUIRES] ?? '').split(/[,\n]/).map((word) => word.trim())
  return words.filter((word) => word !== '')
}

/** Returns the releases that a chart requires, without edge kinds: `mariadb`, `namespace/mariadb`. */
export function requiredReleases(annotations: Annotations): readonly string[] {
  const names = statedRequirements(annotations).map((word) => word.split(/[:?]/, 1)[0]!)
  return names.filter((name) => name !== '')
}
