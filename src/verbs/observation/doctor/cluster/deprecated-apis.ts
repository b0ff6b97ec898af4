export interface DeprecatedApi {
  readonly apiVersion: string
  /** All kinds of that version, where none is named. */
  readonly kind?: string
  /** The Kubernetes that deprecated it. */
  readonly since: string
  /** The Kubernetes that no longer serves it, where that is decided. */
  readonly gone?: string
  /** What to use in its place. */
  readonly use: string
}

/** https://kubernetes.io/docs/reference/using-api/deprecation-guide/, and the fields of API types marked so (1.36). */
export const DEPRECATED_APIS: readonly DeprecatedApi[] = [
  {apiVersion: 'extensions/v1beta1', since: '1.9', gone: '1.22', use: 'apps/v1 and networking.k8s.io/v1'},
  {apiVersion: 'apps/v1beta1', since: '1.9', gone: '1.16', use: 'apps/v1'},
  {apiVersion: 'apps/v1beta2', since: '1.9', gone: '1.16', use: 'apps/v1'},
  {apiVersion: 'networking.k8s.io/v1beta1', since: '1.19', gone: '1.22', use: 'networking.k8s.io/v1'},
  {
    apiVersion: 'rbac.authorization.k8s.io/v1beta1',
    since: '1.17',
    gone: '1.22',
    use: 'rbac.authorization.k8s.io/v1',
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1beta1',
    kind: 'MutatingWebhookConfiguration',
    since: '1.16',
    gone: '1.22',
    use: 'admissionregistration.k8s.io/v1',
  },
  {
    apiVersion: 'admissionregistration.k8s.io/v1beta1',
    kind: 'ValidatingWebhookConfiguration',
    since: '1.16',
    gone: '1.22',
    use: 'admissionregistration.k8s.io/v1',
  },
  {apiVersion: 'apiextensions.k8s.io/v1beta1', since: '1.16', gone: '1.22', use: 'apiextensions.k8s.io/v1'},
  {apiVersion: 'batch/v1beta1', since: '1.21', gone: '1.25', use: 'batch/v1'},
  {apiVersion: 'policy/v1beta1', since: '1.21', gone: '1.25', use: 'policy/v1'},
  {apiVersion: 'autoscaling/v2beta1', since: '1.22', gone: '1.25', use: 'autoscaling/v2'},
  {apiVersion: 'autoscaling/v2beta2', since: '1.23', gone: '1.26', use: 'autoscaling/v2'},
  {apiVersion: 'discovery.k8s.io/v1beta1', since: '1.21', gone: '1.25', use: 'discovery.k8s.io/v1'},
  {apiVersion: 'events.k8s.io/v1beta1', since: '1.19', gone: '1.25', use: 'events.k8s.io/v1'},
  {
    apiVersion: 'storage.k8s.io/v1beta1',
    kind: 'StorageClass',
    since: '1.19',
    gone: '1.22',
    use: 'storage.k8s.io/v1',
  },
  {
    apiVersion: 'storage.k8s.io/v1beta1',
    kind: 'CSIDriver',
    since: '1.19',
    gone: '1.22',
    use: 'storage.k8s.io/v1',
  },
  {
    apiVersion: 'flowcontrol.apiserver.k8s.io/v1beta3',
    since: '1.29',
    gone: '1.32',
    use: 'flowcontrol.apiserver.k8s.io/v1',
  },
  {apiVersion: 'v1', kind: 'Endpoints', since: '1.33', use: 'EndpointSlice of discovery.k8s.io/v1'},
  {
    apiVersion: 'v1',
    kind: 'ComponentStatus',
    since: '1.19',
    use: 'the health endpoints of the control plane',
  },
]
