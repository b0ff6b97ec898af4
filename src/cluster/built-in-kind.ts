const BUILT_IN = /^(?:v1$|(?:apps|batch|policy|autoscaling|extensions)\/|[a-z0-9.]+\.k8s\.io\/)/
/** Of the project Kubernetes, but not of its API server. */
const OUTSIDE =
  /(?:^|\.)(?:snapshot\.storage|gateway\.networking|metrics|cluster\.x|resource)\.k8s\.io\/|^[a-z.-]*x-k8s\.io\//

/** Whether the API server has the kinds of this version of itself, without a CustomResourceDefinition. */
export function isBuiltIn(apiVersion: string): boolean {
  return BUILT_IN.test(apiVersion) && !OUTSIDE.test(apiVersion)
}
