import type {KubernetesObject, ScaleTarget} from '../../cluster/cluster.ts'
import type {FieldDifference} from './differences.ts'

/** What the API server itself writes at every change. */
const OF_THE_SERVER: ReadonlySet<string> = new Set([
  'managedFields',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'uid',
  'selfLink',
])

/** Where controllers put the certificate of a webhook or an API, whatever the manifest says. */
const CERTIFICATE =
  /^(?:webhooks\.\[[^\]]*\]\.clientConfig|spec\.conversion\.webhook\.clientConfig|spec)\.caBundle$/
const CERTIFIED: ReadonlySet<string> = new Set([
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
  'CustomResourceDefinition',
  'APIService',
])

/**
 * Whether a field is the manifest's to say: not the status, nor what the API server counts, nor injected certificates,
 * nor the replicas of what an autoscaler scales.
 */
export function isManifests(
  {kind, metadata}: Pick<KubernetesObject, 'kind' | 'metadata'>,
  {path}: Pick<FieldDifference, 'path'>,
  scaled: readonly ScaleTarget[],
): boolean {
  const [first, second] = path
  if (first === 'status') return false
  if (first === 'metadata' && second !== undefined && OF_THE_SERVER.has(second)) return false
  if (CERTIFIED.has(kind) && CERTIFICATE.test(path.join('.'))) return false
  const isReplicas = path.length === 2 && first === 'spec' && second === 'replicas'
  return !(isReplicas && scaled.some((target) => target.kind === kind && target.name === metadata.name))
}
