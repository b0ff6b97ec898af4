/** A kind of difference between a release on the cluster and its desired state. */
export type ChangeKind =
  /** The release is not installed. */
  | 'new-release'
  | 'chart-version'
  | 'app-version'
  /** The files of the chart, or of its library, under the same version. */
  | 'chart-content'
  | 'image'
  /** An image of another release of OpenStack, which brings its migrations. */
  | 'openstack-release'
  | 'values'
  /** Only the metadata that kk records: its requirements, and whether it is stated and protected. */
  | 'standing'

/** The changes in words, in the order in which messages name them. */
export const CHANGE_WORDS = {
  'new-release': 'a new release',
  'chart-version': 'the chart version',
  'app-version': 'the appVersion',
  'chart-content': 'files of the chart',
  'openstack-release': 'another release of OpenStack',
  image: 'an image',
  values: 'values',
  standing: 'its requirements, or whether it is stated or protected',
} as const satisfies Record<ChangeKind, string>

/** Returns each change once, in a fixed order. */
export function sortedChanges(changes: Iterable<ChangeKind>): readonly ChangeKind[] {
  const present = new Set(changes)
  return (Object.keys(CHANGE_WORDS) as ChangeKind[]).filter((change) => present.has(change))
}
