{{- /*
The accounts with which a service is a client of others: .params {accounts}, the user of each section.
*/ -}}
{{- define "common.config.block.clients" -}}
needs: [identity]
options:
  {{- range $section, $user := .params.accounts }}
  {{ $section }}:
    {{- include "common.config.account" (dict "ctx" $.ctx "user" $user) | nindent 4 }}
    valid_interfaces: internal
  {{- end }}
{{- end -}}
