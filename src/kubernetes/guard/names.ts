import type {Resource} from '../api/resources.ts'

/** The name of the ConfigMap, of the policy that protects, and of its binding. */
export const GUARD_NAME = 'kk-guard'
/** The name of the policy that ends approvals, of its binding, and of the ConfigMap that tests its clock. */
export const EXPIRY_NAME = 'kk-guard-expiry'
/** The label of an object that may be deleted: the expiry, in seconds since the epoch. */
export const UNTIL_LABEL = 'guard.kk.openstack.org/approved-until'

export const POLICIES: Resource = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  plural: 'validatingadmissionpolicies',
  namespaced: false,
}
export const BINDINGS: Resource = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  plural: 'validatingadmissionpolicybindings',
  namespaced: false,
}
