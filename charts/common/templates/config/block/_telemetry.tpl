{{- /*
The account with which telemetry services query others, by their internal addresses: .params {user}.
*/ -}}
{{- define "common.config.block.telemetry" -}}
needs: [identity]
options:
  service_credentials:
    {{- include "common.config.account" (dict "ctx" .ctx "user" .params.user) | nindent 4 }}
    interface: internal
{{- end -}}
