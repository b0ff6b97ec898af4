{{- /* How a service logs in where it is a client of others: .params {accounts}, for each section the user whose account it takes. */ -}}
{{- define "common.config.block.clients" -}}
needs: [identity]
options:
  {{- range $section, $user := .params.accounts }}
  {{ $section }}:
    {{- include "common.config.account" (dict "ctx" $.ctx "user" $user) | nindent 4 }}
    valid_interfaces: internal
  {{- end }}
{{- end -}}
