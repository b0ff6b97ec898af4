{{- /* option = value, a line each (rabbitmq.conf). */ -}}
{{- define "common.config.format.properties" -}}
{{- range $option, $value := . -}}
{{- if not (kindIs "invalid" $value) -}}
{{ $option }} = {{ include "common.config.scalar" $value }}
{{ end -}}
{{- end -}}
{{- end -}}
