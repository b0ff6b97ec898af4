import type {StatedWant, Waiting} from './stated-want.ts'

const BUILT_IN = /^(?:v1$|(?:apps|batch|policy|autoscaling|extensions)\/|[a-z0-9.]+\.k8s\.io\/)/
/** Of the project Kubernetes, but not of its API server. */
const OUTSIDE =
  /(?:^|\.)(?:snapshot\.storage|gateway\.networking|metrics|cluster\.x|resource)\.k8s\.io\/|\.x-k8s\.io\/|^[a-z.-]*x-k8s\.io\//

/** A kind that the API server has not of itself: the definition must be there first. */
export function customKindWants({object}: Waiting): readonly StatedWant[] {
  const {apiVersion, kind} = object
  if (BUILT_IN.test(apiVersion) && !OUTSIDE.test(apiVersion)) return []
  const group = apiVersion.split('/')[0]!
  return [{kind: 'applied', target: {what: 'kind', group, kind}, text: `is a ${kind}.${group}`}]
}
