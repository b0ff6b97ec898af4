{{- /*
The defaults of every chart, which all other values override. The keys are openstack-helm's if it has one.
*/ -}}
{{- define "common.context.defaults" -}}
region: RegionOne
images:
  # {registry}/{namespace}/{distro}-{type}-{name}:{tag}; empty parts are omitted. By default the images that kk
  # builds, in the registry of `kk aio`.
  registry: localhost:5010
  namespace: kk
  distro: ""
  type: ""
  tag: 2025.1-debian-trixie
  pull_policy: IfNotPresent
  # A full reference per component or job, which overrides the formula.
  tags: {}
# In addition to `roles`, a label per component, `job` or `test`.
labels:
  roles:
    control_plane: {node_selector_key: openstack-control-plane, node_selector_value: enabled}
    compute: {node_selector_key: openstack-compute-node, node_selector_value: enabled}
    openvswitch: {node_selector_key: openvswitch, node_selector_value: enabled}
    node: {node_selector_key: openstack-node, node_selector_value: enabled}
pod:
  affinity:
    anti:
      type: {default: preferredDuringSchedulingIgnoredDuringExecution}
      topologyKey: {default: kubernetes.io/hostname}
      weight: {default: 10}
  lifecycle:
    upgrades:
      deployments: {pod_replacement_strategy: RollingUpdate, revision_history: 3, rolling_update: {max_unavailable: 0, max_surge: 1}}
      daemonsets: {pod_replacement_strategy: RollingUpdate, rolling_update: {max_unavailable: 1}}
      statefulsets: {pod_replacement_strategy: RollingUpdate}
  resources: {enabled: true}
storage:
  class: ""
  access: ReadWriteOnce
  ephemeral: false
  # The backend of images, volumes and disks: ceph, or file.
  backend: file
dependencies: {enabled: true}
# A claim for dumps of databases, taken before the first migration of an upgrade, and how many are kept of each
# release. With `size`, the chart of MariaDB makes the claim.
dumps: {claim: "", keep: 3, size: ""}
# Whether clients outside reach public endpoints through an ingress controller of this class, or this Gateway
# (NAME or NAMESPACE/NAME), as NAME.domain, with the certificate of this Secret; by default that of the release
# `ingress` (`certificate: shared`), or the one of each release (`release`).
ingress: {enabled: false, class: openstack, gateway: "", domain: "", tls_secret: "", certificate: shared}
# Whether servers use TLS, from outside and inside; `plain` are the endpoints that do not use it inside.
tls: {public: false, internal: false, secret: "", issuer: {}, files: {}, plain: []}
# Whether the notifications of services have a consumer, such as ceilometer.
notifications: {enabled: false}
{{- end -}}
