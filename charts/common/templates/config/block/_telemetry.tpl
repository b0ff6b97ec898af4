{{- /* How services of telemetry log in where they ask others, by their internal addresses: .params {user}. */ -}}
{{- define "common.config.block.telemetry" -}}
needs: [identity]
options:
  service_credentials:
    {{- include "common.config.account" (dict "ctx" .ctx "user" .params.user) | nindent 4 }}
    interface: internal
{{- end -}}
