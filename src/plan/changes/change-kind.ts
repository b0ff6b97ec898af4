/** What differs between a release as it is on the cluster and as it is to be. */
export type ChangeKind =
  /** It is not installed. */
  | 'new-release'
  | 'chart-version'
  | 'app-version'
  /** The files of the chart, or of its library, under the same version. */
  | 'chart-content'
  | 'image'
  | 'values'
  /** Only what kk notes of it: what it requires, whether it is stated and protected. */
  | 'standing'

/** The changes as people read them, in the order in which they are told. */
export const CHANGE_WORDS = {
  'new-release': 'a new release',
  'chart-version': 'the chart version',
  'app-version': 'the appVersion',
  'chart-content': 'files of the chart',
  image: 'an image',
  values: 'values',
  standing: 'what it requires, or whether it is stated or protected',
} as const satisfies Record<ChangeKind, string>

/** Each once, in one order. */
export function inOrder(changes: Iterable<ChangeKind>): readonly ChangeKind[] {
  const found = new Set(changes)
  return (Object.keys(CHANGE_WORDS) as ChangeKind[]).filter((change) => found.has(change))
}
