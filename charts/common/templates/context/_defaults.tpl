{{- /* The weakest layer of every chart. The places are openstack-helm's where it has one. */ -}}
{{- define "common.context.defaults" -}}
region: RegionOne
images:
  # {registry}/{namespace}/{distro}-{type}-{name}:{tag}; empty parts drop out. These are the images that kk builds, where
  # `kk aio` has its registry.
  registry: localhost:5010
  namespace: kk
  distro: ""
  type: ""
  tag: 2025.1-debian-trixie
  pull_policy: IfNotPresent
  # A whole reference per component or job, which wins over the formula.
  tags:
    dep_check: localhost:5010/kk/kk:2025.1-debian-trixie
# Beside `roles`, a label per component, `job` or `test`.
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
  # Where images, volumes and disks are: ceph, or in files.
  backend: file
dependencies: {enabled: true}
# Whether clients outside reach what is public by an ingress controller, of this class, as NAME.domain, with the certificate of this Secret:
# by default that of the release `ingress`.
ingress: {enabled: false, class: openstack, domain: "", tls_secret: ""}
# Whether servers are reached by TLS, from outside and inside; `plain` are endpoints that stay as they are inside.
tls: {public: false, internal: false, secret: "", issuer: {}, files: {}, plain: []}
# Whether somebody listens to what services notify: ceilometer.
notifications: {enabled: false}
{{- end -}}
