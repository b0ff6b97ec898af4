{{- /* NAME = literal, a line each (Django's settings). */ -}}
{{- define "common.config.format.python" -}}
{{- range $name, $value := . -}}
{{ $name }} = {{ include "common.config.format.python.literal" $value }}
{{ end -}}
{{- end -}}
