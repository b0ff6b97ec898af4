{{- /*
rabbitmq.conf: the ports of the endpoint, and the discovery of peers, by Kubernetes' endpoints of their
Service. Connections are not logged: each ping of a probe opens one. The file does not depend on the number of
members. One member begins the cluster (rabbitmq-first-start.py), and the others join it, one at a time.
*/ -}}
{{- define "common.config.block.rabbitmq" -}}
{{- $ctx := .ctx -}}
{{- $peers := include "common.context.name" (dict "ctx" $ctx "key" "server") | printf "%s-peers" -}}
{{- $tls := $ctx.values.tls.internal }}
options:
  log.connection.level: warning
  {{- if $tls }}
  listeners.tcp: none
  {{- range $prefix := list "ssl_options" "management.ssl" }}
  {{ $prefix }}.cacertfile: /etc/tls/ca.crt
  {{ $prefix }}.certfile: /etc/tls/tls.crt
  {{ $prefix }}.keyfile: /etc/tls/tls.key
  {{- end }}
  {{- end }}
  listeners.{{ ternary "ssl" "tcp" $tls }}.1: 0.0.0.0:{{ include "common.endpoints.port" (dict "ctx" $ctx "type" "oslo_messaging" "port" "amqp" "interface" "service") }}
  management.{{ ternary "ssl" "tcp" $tls }}.port: {{ include "common.endpoints.port" (dict "ctx" $ctx "type" "oslo_messaging" "port" "http" "interface" "service") }}
  load_definitions: /etc/rabbitmq/definitions.json
  # A queue is created with as many replicas as there are members. A new member gets its replicas when it joins.
  quorum_queue.continuous_membership_reconciliation.enabled: true
  quorum_queue.continuous_membership_reconciliation.target_group_size: 3
  quorum_queue.continuous_membership_reconciliation.auto_remove: true
  cluster_formation.peer_discovery_backend: k8s
  cluster_formation.k8s.host: kubernetes.default.svc.{{ $ctx.endpoints.cluster_domain_suffix }}
  cluster_formation.k8s.address_type: hostname
  cluster_formation.k8s.service_name: {{ $peers }}
  cluster_formation.k8s.hostname_suffix: .{{ $peers }}.{{ $ctx.namespace }}.svc.{{ $ctx.endpoints.cluster_domain_suffix }}
{{- end -}}

{{- /*
The administrator, and the virtual host of all services; loaded at every start. The services' jobs create
their users.
*/ -}}
{{- define "common.config.block.definitions" -}}
{{- $user := include "common.endpoints.auth" (dict "ctx" .ctx "type" "oslo_messaging" "user" "admin" "field" "username") -}}
{{- $password := include "common.endpoints.credential" (dict "ctx" .ctx "path" "oslo_messaging.admin.password") -}}
options:
  vhosts: [{name: /}]
  users: [{name: {{ quote $user }}, password: {{ quote $password }}, tags: administrator}]
  permissions: [{user: {{ quote $user }}, vhost: /, configure: ".*", write: ".*", read: ".*"}]
{{- end -}}

{{- /*
RabbitMQ begins a cluster of its own if it reaches no other member when it first starts: of three members that start
together, one was alone (https://github.com/rabbitmq/rabbitmq-server/issues/13043). A member that has no data listens
on the port of its metrics, which it does not serve yet, so that others know it.
*/ -}}
{{- define "common.scripts.rabbitmq-first-start.py" -}}
"""Ends when a member without data may start: the first one to begin the cluster, the others once there is one to join."""
import os
import socket
import threading
import time

PEERS = "{{ include "common.context.name" (dict "ctx" . "key" "server") }}-peers"
CLIENTS = {{ include "common.endpoints.port" (dict "ctx" . "type" "oslo_messaging" "port" "amqp" "interface" "service") }}
MEMBERS = int(os.environ["RABBITMQ_DIST_PORT"])
# A member without data listens here while it waits: it is known to have none.
WAITING = int(os.environ["WAITING_PORT"])
# For so long the others are awaited, which may be about to start with their data, or wait for a majority themselves.
PATIENCE = float(os.environ.get("PATIENCE_SECONDS", "60"))
POD, IP = os.environ["POD_NAME"], os.environ["POD_IP"]


def has_data():
    try:
        names = os.listdir(os.environ["RABBITMQ_MNESIA_BASE"])
    except FileNotFoundError:
        return False
    return any(name.startswith("rabbit@%s." % POD) for name in names)


def answer():
    server = socket.create_server((IP, WAITING), family=socket.AF_INET6 if ":" in IP else socket.AF_INET)
    while True:
        server.accept()[0].close()


def listens(address, port):
    try:
        with socket.create_connection((address, port), timeout=2):
            return True
    except OSError:
        return False


def reason_to_wait():
    """Why it may not start yet, and whether it starts in spite of that after a time; None if it may start."""
    try:
        found = socket.getaddrinfo(os.environ.get("PEERS", PEERS), None, proto=socket.IPPROTO_TCP)
    except socket.gaierror as error:
        return "the names of the members are not known: %s" % error, False
    others = {address[0] for *_, address in found} - {IP}
    if any(listens(address, CLIENTS) for address in others):
        return None
    # It has data, or begins the cluster; or it waits for a majority, of which this one may be a part.
    if any(listens(address, MEMBERS) for address in others):
        return "another member does not serve clients yet", True
    if not POD.endswith("-0"):
        return "no member serves clients yet, and this is not the first one", False
    if all(listens(address, WAITING) for address in others):
        return None
    return "other members may have data, and do not run yet", True


def wait():
    threading.Thread(target=answer, daemon=True).start()
    said, since = None, time.monotonic()
    while True:
        reason = reason_to_wait()
        if reason is None:
            return
        text, ends = reason
        if text != said:
            print("waits: %s" % text, flush=True)
            said, since = text, time.monotonic()
        if ends and time.monotonic() - since > PATIENCE:
            return
        time.sleep(1)


if not has_data():
    wait()
{{ end -}}

{{- /*
Logs in to the bus as the administrator.
curl reads the account from standard input: nothing secret is in an argument.
*/ -}}
{{- define "common.scripts.rabbitmq-test.sh" -}}
set -eu
password=${PASSWORD//\\/\\\\}
printf 'user = "%s:%s"\n' "$USERNAME" "${password//\"/\\\"}" |
  curl --config - --fail --silent --show-error --max-time 20 "{{ ternary "https" "http" .values.tls.internal }}://$HOST:$PORT/api/whoami"
{{ end -}}
