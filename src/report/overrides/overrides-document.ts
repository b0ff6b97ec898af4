import type {ShownOverrides} from '../../overrides/service.ts'

/** The overrides of one chart as JSON, YAML and the API have them. */
export function overridesDocument(shown: Omit<ShownOverrides, 'etag'>): Record<string, string> {
  return {
    name: shown.name,
    namespace: shown.namespace,
    system_overrides: shown.systemOverrides,
    user_overrides: shown.userOverrides,
    combined_overrides: shown.combinedOverrides,
  }
}

/** What an update says of a chart. */
export function updatedDocument(
  shown: Pick<ShownOverrides, 'name' | 'namespace' | 'userOverrides'>,
): Record<string, string> {
  return {user_overrides: shown.userOverrides, namespace: shown.namespace, name: shown.name}
}
