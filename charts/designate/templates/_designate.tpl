{{- /* The addresses on which its servers listen, and the URL that the API returns. */ -}}
{{- define "common.config.block.listeners" -}}
{{- $api := dict "ctx" .ctx "type" "dns" -}}
options:
  service:api:
    listen: 0.0.0.0:{{ include "common.endpoints.port" (merge (dict "interface" "service") $api) }}
    api_base_uri: {{ include "common.endpoints.uri" (merge (dict "interface" "public") $api) }}/
  service:mdns:
    listen: 0.0.0.0:5354
{{- end -}}

{{- /* The port on which BIND listens behind its Service, for UDP and TCP. */ -}}
{{- define "common.designate.port" -}}
{{- $ports := list -}}
{{- range list "dns" "dns_udp" -}}
{{- $ports = append $ports (include "common.endpoints.port" (dict "ctx" $ "type" "dns_server" "port" . "interface" "service")) -}}
{{- end -}}
{{- if ne (first $ports) (last $ports) -}}
{{- fail "endpoints.dns_server.port: BIND listens on one port: dns.service and dns_udp.service must be the same" -}}
{{- end -}}
{{- first $ports -}}
{{- end -}}

{{- /* The key with which workers control BIND, in the file that both read. */ -}}
{{- define "common.scripts.rndc-key" -}}
set -euo pipefail
umask 077
secret=$(printf %s "$RNDC_KEY" | base64 --wrap 0)
printf 'key "rndc-key" { algorithm hmac-sha256; secret "%s"; };\n' "$secret" >/var/lib/designate/rndc.key
{{ end -}}

{{- define "common.scripts.designate-worker.sh" -}}
{{ include "common.scripts.rndc-key" . -}}
exec designate-worker
{{ end -}}

{{- define "common.scripts.designate-bind9.sh" -}}
{{ include "common.scripts.rndc-key" . -}}
{{- $port := include "common.designate.port" . }}
printf 'listen-on port %s { any; };\nlisten-on-v6 port %s { any; };\n' {{ $port }} {{ $port }} >/var/lib/designate/listen.conf
exec named -g -c /etc/bind/named.conf
{{ end -}}

{{- /*
BIND accepts zones only from addresses, and designate only asks addresses: those of Services do not change
while the release exists.
*/ -}}
{{- define "common.scripts.designate-pools.py" -}}
"""Puts the servers of this release into the pool of designate: each member of BIND, which takes zones from mdns."""
import json
import os
import socket
import subprocess


def address(name):
    return socket.getaddrinfo(name, None)[0][4][0]


members = [member.rsplit(":", 1)[0] for member in os.environ["MEMBERS"].split(",")]
masters = [{"host": address(os.environ["MDNS"]), "port": 5354}]
rndc = {"rndc_port": 8953, "rndc_key_file": "/var/lib/designate/rndc.key"}
names = json.loads(os.environ["NS_RECORDS"])

pool = {
    "name": "default",
    "description": "BIND",
    "attributes": {},
    "ns_records": [{"hostname": name, "priority": rank} for name, rank in names.items()],
    "nameservers": [{"host": address(os.environ["DNS_SERVER"]), "port": int(os.environ["DNS_PORT"])}],
    "targets": [
        {"type": "bind9", "description": member, "masters": masters, "options": {"host": member, "port": {{ include "common.designate.port" . }}, "rndc_host": member, **rndc}}
        for member in members
    ],
}
# JSON is YAML.
with open("/tmp/pools.yaml", "w") as file:
    json.dump([pool], file)
subprocess.run(["designate-manage", "pool", "update", "--file", "/tmp/pools.yaml"], check=True)
print("the pool has %d servers" % len(members))
{{ end -}}

{{- /* Creates a zone that BIND serves, which takes all of designate. */ -}}
{{- define "common.scripts.designate-test.py" -}}
"""Creates a zone, waits until BIND serves it, and deletes it."""
import os
import socket
import time

import dns.message
import dns.query
import openstack

NAME = "kk-test.example."

zones = openstack.connect().dns
zone = zones.create_zone(name=NAME, email="kk-test@example.org")
try:
    while zone.status == "PENDING":
        time.sleep(2)
        zone = zones.get_zone(zone)
    assert zone.status == "ACTIVE", zone.status
    server, port = socket.getaddrinfo(os.environ["DNS_SERVER"], int(os.environ["DNS_PORT"]))[0][4][:2]
    answer = dns.query.udp(dns.message.make_query(NAME, "SOA"), server, port=port, timeout=10)
    assert answer.answer, answer
finally:
    zones.delete_zone(zone)
print(answer.answer[0])
{{ end -}}
