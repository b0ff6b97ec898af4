{{- define "common.pod.ports.endpoint" -}}
{{- $ctx := .ctx -}}
{{- $type := .unit.endpoint -}}
{{- if $type -}}
{{- range $name, $_ := (get $ctx.endpoints $type).port }}
{{ $name | replace "_" "-" }}:
  service: {{ include "common.endpoints.port" (dict "ctx" $ctx "type" $type "port" $name) }}
  container: {{ include "common.endpoints.port" (dict "ctx" $ctx "type" $type "port" $name "interface" "service") }}
{{- end }}
{{- end }}
{{- end -}}
