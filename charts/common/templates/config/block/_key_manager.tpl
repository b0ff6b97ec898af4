{{- /* castellan: the key manager from which a service gets encryption keys, with its user's own token. */ -}}
{{- define "common.config.block.key_manager" -}}
options:
  key_manager: {backend: barbican}
  barbican:
    auth_endpoint: {{ include "common.endpoints.uri" (dict "ctx" .ctx "type" "identity") | quote }}
    barbican_endpoint_type: internal
    barbican_region_name: {{ .ctx.values.region | quote }}
{{- end -}}
