{{- /*
The endpoints of services, in openstack-helm's structure. A chart that provides one sets its own Service in
`hosts.default`, so that two releases of a chart never use the same name.
*/ -}}
{{- define "common.context.catalogue" -}}
cluster_domain_suffix: cluster.local
alarming: {hosts: {default: aodh-api}, public: aodh, scheme: {default: http}, port: {api: {default: 8042}}}
application_catalog: {hosts: {default: murano-api}, public: murano, scheme: {default: http}, port: {api: {default: 8082}}}
baremetal: {hosts: {default: ironic-api}, public: ironic, scheme: {default: http}, port: {api: {default: 6385}}}
block_storage: {hosts: {default: cinder-api}, public: cinder, scheme: {default: http}, path: {default: /v3}, port: {api: {default: 8776}}}
ceph_mon: {hosts: {default: ceph-mon}, port: {msgr1: {default: 6789}, msgr2: {default: 3300}}}
cloudformation: {hosts: {default: heat-cfn}, public: cloudformation, scheme: {default: http}, path: {default: /v1}, port: {api: {default: 8000}}}
compute: {hosts: {default: nova-api}, public: nova, scheme: {default: http}, path: {default: /v2.1}, port: {api: {default: 8774}}}
compute_metadata: {hosts: {default: nova-metadata}, scheme: {default: http}, port: {metadata: {default: 8775}}}
compute_novnc_proxy: {hosts: {default: nova-novncproxy}, public: novncproxy, scheme: {default: http}, path: {default: /vnc_lite.html}, port: {novnc_proxy: {default: 6080}}}
compute_proxy: {hosts: {default: nova-api-proxy-proxy}, public: nova-api-proxy, scheme: {default: http}, path: {default: /v2.1}, port: {api: {default: 8774}}}
container_infra: {hosts: {default: magnum-api}, public: magnum, scheme: {default: http}, path: {default: /v1}, port: {api: {default: 9511}}}
coordination: {hosts: {default: valkey-server}, scheme: {default: redis}, port: {valkey: {default: 6379}}}
dashboard: {hosts: {default: horizon-server}, public: horizon, scheme: {default: http}, path: {default: /}, port: {web: {default: 80, service: 8080}}}
dns: {hosts: {default: designate-api}, public: designate, scheme: {default: http}, port: {api: {default: 9001}}}
dns_server: {hosts: {default: designate-bind9}, port: {dns: {default: 53, service: 5353}, dns_udp: {default: 53, service: 5353}}}
event: {hosts: {default: panko-api}, public: panko, scheme: {default: http}, port: {api: {default: 8977}}}
faultmanagement: {hosts: {default: fm-rest-api-api}, public: fm, scheme: {default: http}, path: {default: /v1}, port: {api: {default: 18003}}}
identity: {hosts: {default: keystone-api}, public: keystone, scheme: {default: http}, path: {default: /v3}, port: {api: {default: 5000}}, auth: {admin: {username: admin, project_name: admin}}}
image: {hosts: {default: glance-api}, public: glance, scheme: {default: http}, port: {api: {default: 9292}}}
ingress: {hosts: {default: ingress-controller}, scheme: {default: https}, port: {http: {default: 80}, https: {default: 443}}}
key_manager: {hosts: {default: barbican-api}, public: barbican, scheme: {default: http}, port: {api: {default: 9311}}}
load_balancer: {hosts: {default: octavia-api}, public: octavia, scheme: {default: http}, port: {api: {default: 9876}}}
metric: {hosts: {default: gnocchi-api}, public: gnocchi, scheme: {default: http}, port: {api: {default: 8041}}}
network: {hosts: {default: neutron-server}, public: neutron, scheme: {default: http}, port: {api: {default: 9696}}}
orchestration: {hosts: {default: heat-api}, public: heat, scheme: {default: http}, path: {default: /v1/%(tenant_id)s}, port: {api: {default: 8004}}}
oslo_cache: {hosts: {default: memcached-server}, port: {memcache: {default: 11211}}}
oslo_db: {hosts: {default: mariadb-server}, scheme: {default: mysql+pymysql}, port: {mysql: {default: 3306}}, auth: {admin: {username: root}}}
oslo_messaging: {hosts: {default: rabbitmq-server}, scheme: {default: rabbit}, path: {default: //}, port: {amqp: {default: 5672}, http: {default: 15672}}, auth: {admin: {username: openstack}}}
ovn_ovsdb_nb: {hosts: {default: ovn-nb}, scheme: {default: tcp}, port: {ovsdb: {default: 6641}}}
ovn_ovsdb_sb: {hosts: {default: ovn-sb}, scheme: {default: tcp}, port: {ovsdb: {default: 6642}}}
placement: {hosts: {default: placement-api}, public: placement, scheme: {default: http}, port: {api: {default: 8780}}}
sharev2: {hosts: {default: manila-api}, public: manila, scheme: {default: http}, path: {default: /v2}, port: {api: {default: 8786}}}
{{- end -}}
