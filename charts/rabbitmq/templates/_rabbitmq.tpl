{{- /*
rabbitmq.conf: the ports of the endpoint, and the discovery of peers, by Kubernetes' endpoints of their
Service. Connections are not logged: each ping of a probe opens one. The file does not depend on the number of
members. A lock lets one member start the cluster, and the others join it.
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
Logs in to the bus as the administrator.
curl reads the account from standard input: nothing secret is in an argument.
*/ -}}
{{- define "common.scripts.rabbitmq-test.sh" -}}
set -eu
password=${PASSWORD//\\/\\\\}
printf 'user = "%s:%s"\n' "$USERNAME" "${password//\"/\\\"}" |
  curl --config - --fail --silent --show-error --max-time 20 "{{ ternary "https" "http" .values.tls.internal }}://$HOST:$PORT/api/whoami"
{{ end -}}
