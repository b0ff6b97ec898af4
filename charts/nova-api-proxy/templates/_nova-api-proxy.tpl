{{- /* Its port, and the API of nova behind it. */ -}}
{{- define "common.config.block.proxied" -}}
{{- $nova := dict "ctx" .ctx "type" "compute" -}}
{{- if eq (include "common.endpoints.service" $nova) (include "common.endpoints.service" (dict "ctx" .ctx "type" "compute_proxy")) -}}
{{- fail "endpoints.compute.hosts.default is the proxy itself: name it in endpoints.compute.hosts.public, because services reach nova by the default" -}}
{{- end -}}
options:
  DEFAULT:
    osapi_proxy_listen_port: {{ include "common.endpoints.port" (dict "ctx" .ctx "type" "compute_proxy" "interface" "service") }}
    osapi_compute_listen: {{ include "common.endpoints.host" $nova }}
    osapi_compute_listen_port: {{ include "common.endpoints.port" $nova }}
{{- end -}}

{{- define "common.scripts.nova-api-proxy.sh" -}}
exec nova-api-proxy --config-file /var/lib/kolla/config_files/nova-api-proxy.conf
{{ end -}}

{{- /* Lists the versions of nova's API through the proxy. */ -}}
{{- define "common.scripts.nova-api-proxy-test.sh" -}}
set -eu
curl --fail --silent --show-error "${COMPUTE%/v2.1}/"
{{ end -}}
