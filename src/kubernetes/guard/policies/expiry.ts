import type {KubernetesObject} from '../../manifest/kubernetes-object.ts'
import {EXPIRY_NAME, POLICIES, UNTIL_LABEL} from '../names.ts'
import {policyBinding, rule} from './policy.ts'

/**
 * The Leases of the API servers, each renewed every 10 seconds (Kubernetes 1.26: feature APIServerIdentity).
 */
export const CLOCK = {
  namespace: 'kube-system',
  label: {'apiserver.kubernetes.io/identity': 'kube-apiserver'},
}

const UNTIL = `oldObject.metadata.labels['${UNTIL_LABEL}']`

/**
 * Returns the policy that ends approvals. CEL in admission has no clock, and a policy reads one parameter at
 * a time. So the time comes from the Leases of the API servers, and the expiry of an approval from a label of
 * the object, which the other policy compares with the approval. With several API servers the policy must
 * allow for each Lease: the latest time decides.
 */
export function expiryPolicy(): KubernetesObject {
  return {
    apiVersion: POLICIES.apiVersion,
    kind: POLICIES.kind,
    metadata: {name: EXPIRY_NAME},
    spec: {
      failurePolicy: 'Fail',
      paramKind: {apiVersion: 'coordination.k8s.io/v1', kind: 'Lease'},
      matchConstraints: {
        objectSelector: {matchExpressions: [{key: UNTIL_LABEL, operator: 'Exists'}]},
        resourceRules: [
          rule('apps', 'v1', ['statefulsets'], ['DELETE']),
          rule('', 'v1', ['persistentvolumeclaims', 'namespaces'], ['DELETE']),
          rule('', 'v1', ['secrets'], ['UPDATE', 'DELETE']),
          // The object with which kk tests that the clock runs.
          rule('', 'v1', ['configmaps'], ['DELETE']),
        ],
      },
      matchConditions: [
        {
          name: 'is-marked',
          expression: `has(oldObject.metadata.labels) && '${UNTIL_LABEL}' in oldObject.metadata.labels`,
        },
        // Helm copies labels to later records, and prunes old ones: only the deployed record is guarded.
        {
          name: 'is-kept',
          expression: [
            "request.resource.resource != 'secrets'",
            "(oldObject.metadata.labels[?'status'].orValue('') == 'deployed' && (request.operation == 'DELETE' || object.metadata.?labels[?'status'].orValue('').startsWith('uninstall')))",
          ].join(' || '),
        },
        {
          name: 'is-not-going',
          expression:
            '!has(oldObject.metadata.deletionTimestamp) && (namespaceObject == null || !has(namespaceObject.metadata.deletionTimestamp))',
        },
      ],
      validations: [
        {
          expression: `timestamp(params.spec.renewTime) < timestamp(int(${UNTIL}))`,
          messageExpression: `'kk guard: the approval to delete ' + request.kind.kind + ' ' + oldObject.metadata.name + ' ran out at ' + string(timestamp(int(${UNTIL}))) + '; approve it again with: kk guard approve'`,
          reason: 'Forbidden',
        },
      ],
    },
  }
}

export function expiryBinding(namespaces: readonly string[]): KubernetesObject {
  const parameters = {namespace: CLOCK.namespace, selector: {matchLabels: CLOCK.label}}
  return policyBinding(EXPIRY_NAME, {parameters, namespaces})
}
