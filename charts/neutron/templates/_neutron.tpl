{{- /* The address of nova's metadata API, and the secret with which neutron signs requests. */ -}}
{{- define "common.config.block.metadata" -}}
{{- $metadata := dict "ctx" .ctx "type" "compute_metadata" -}}
options:
  DEFAULT:
    nova_metadata_host: {{ include "common.endpoints.host" $metadata | quote }}
    nova_metadata_port: {{ include "common.endpoints.port" $metadata }}
    {{- if .ctx.values.tls.internal }}
    nova_metadata_protocol: https
    auth_ca_cert: /etc/tls/ca.crt
    {{- end }}
    metadata_proxy_shared_secret: {{ include "common.endpoints.credential" (dict "ctx" .ctx "oslo" true "path" "compute_metadata.shared_secret") | quote }}
{{- end -}}

{{- /*
The schema that both releases can use; a new database gets all of it at once, because its first server needs
all.
*/ -}}
{{- define "common.scripts.neutron-expand.sh" -}}
set -euo pipefail
manage() { neutron-db-manage --config-file /etc/neutron/neutron.conf "$@"; }
current=$(manage current)
if grep --quiet --extended-regexp '^[0-9a-f]{12}\b' <<<"$current"; then
  manage upgrade --expand
else
  manage upgrade heads
fi
{{ end -}}

{{- /* Creates a network with a subnet, a router and a port, which needs the database, OVN and a token. */ -}}
{{- define "common.scripts.neutron-test.py" -}}
"""Creates a network with a router and a port, and deletes it."""
import contextlib

import openstack

network = openstack.connect().network


def made(stack, thing, delete):
    stack.callback(delete, thing)
    return thing


with contextlib.ExitStack() as stack:
    net = made(stack, network.create_network(name="kk-test"), network.delete_network)
    subnet = made(
        stack,
        network.create_subnet(network_id=net.id, ip_version=4, cidr="192.0.2.0/24", name="kk-test"),
        network.delete_subnet,
    )
    router = made(stack, network.create_router(name="kk-test"), network.delete_router)
    network.add_interface_to_router(router, subnet_id=subnet.id)
    stack.callback(network.remove_interface_from_router, router, subnet_id=subnet.id)
    port = made(stack, network.create_port(network_id=net.id, name="kk-test"), network.delete_port)
    print("port %s" % port.fixed_ips[0]["ip_address"])
{{ end -}}
