{{- /* The address on which a service with its own server listens: .params {endpoint}. */ -}}
{{- define "common.config.block.listen" -}}
options:
  DEFAULT:
    bind_host: 0.0.0.0
    bind_port: {{ include "common.endpoints.port" (dict "ctx" .ctx "type" .params.endpoint "interface" "service") }}
{{- end -}}
