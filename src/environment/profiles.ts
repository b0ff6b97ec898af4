/** A set of services for a new environment, with the settings that they need. */
export interface Profile {
  readonly summary: string
  readonly services: readonly string[]
  /** Lines of YAML below `global`, indented. */
  readonly global?: (domain: string) => string
  /** Commented lines of YAML below the section of a chart, indented. */
  readonly sections?: Readonly<Record<string, string>>
}

const COMPUTE = [
  'keystone',
  'ceph',
  'glance',
  'placement',
  'openvswitch',
  'ovn',
  'neutron',
  'libvirt',
  'nova',
  'cinder',
  'horizon',
]
const MORE = ['heat', 'barbican', 'octavia', 'designate', 'manila', 'magnum', 'ironic']
const TELEMETRY = ['gnocchi', 'ceilometer', 'aodh']

/** The profiles of `kk init`, by name. */
export const PROFILES: Readonly<Record<string, Profile>> = {
  identity: {summary: 'keystone and the dashboard', services: ['keystone', 'horizon']},
  compute: {summary: 'virtual machines with networks, images and volumes, in Ceph', services: COMPUTE},
  full: {summary: 'every service that kk has images of', services: [...COMPUTE, ...MORE, ...TELEMETRY]},
  production: {
    summary: 'virtual machines on several nodes, with Ceph, TLS and an ingress controller',
    services: [...COMPUTE, 'heat', 'barbican', 'ingress'],
    global: (
      domain,
    ) => `  # Users reach each service as NAME.${domain}: point *.${domain} in your DNS to the controllers.
  ingress: {enabled: true, domain: ${domain}}
  # TLS by an authority of kk's own; an issuer of cert-manager: {public: true, issuer: {name: NAME, kind: ClusterIssuer}}.
  tls: {public: true}
`,
    sections: {
      ceph: `  # One OSD per device, on nodes with this label.
  # pod: {replicas: {osd: 9}}
  # labels: {osd: {node_selector_key: ceph-osd, node_selector_value: enabled}}
  # components: {osd: {storage: {device: true, size: 4Ti}}}
`,
      ovn: `  # The interface for traffic between nodes, and the one of the external network.
  # conf:
  #   chassis:
  #     tunnel_interface: bond0.20
  #     networks:
  #       public: {bridge: br-ex, interface: bond1, nodes: {openstack-network-node: enabled}}
`,
      neutron: `  # VLANs of the external network for projects.
  # conf:
  #   ml2: {ml2_type_vlan: {network_vlan_ranges: "public:100:199"}}
`,
      nova: `  # conf:
  #   nova: {DEFAULT: {cpu_allocation_ratio: 4, reserved_host_memory_mb: 16384}}
`,
    },
  },
}
