/** The group of an apiVersion: "" for the core of Kubernetes, whose apiVersion is its version alone. */
export function apiGroup(apiVersion: string): string {
  return apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : ''
}
