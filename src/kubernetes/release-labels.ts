/** The labels of a release that charts set: Kubernetes' own, and openstack-helm's. */
const RELEASE_LABELS = ['app.kubernetes.io/instance', 'release_group']

/** Returns the name of the release that the labels of an object have. */
export function labelledName(labels: Readonly<Record<string, string>>): string | undefined {
  return RELEASE_LABELS.flatMap((label) => labels[label] ?? [])[0]
}
