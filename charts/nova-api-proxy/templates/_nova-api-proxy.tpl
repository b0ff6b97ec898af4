{{- /* Where it listens, and the API of nova behind it. */ -}}
{{- define "common.config.block.proxied" -}}
options:
  DEFAULT:
    osapi_proxy_listen_port: {{ include "common.endpoints.port" (dict "ctx" .ctx "type" "compute_proxy" "interface" "service") }}
    osapi_compute_listen: nova-api.{{ .ctx.namespace }}.svc.{{ .ctx.endpoints.cluster_domain_suffix }}
    osapi_compute_listen_port: 8774
{{- end -}}

{{- define "common.scripts.nova-api-proxy.sh" -}}
exec nova-api-proxy --config-file /var/lib/kolla/config_files/nova-api-proxy.conf
{{ end -}}

{{- /* The versions of nova, through the proxy. */ -}}
{{- define "common.scripts.nova-api-proxy-test.sh" -}}
set -eu
curl --fail --silent --show-error "${COMPUTE%/v2.1}/"
{{ end -}}
