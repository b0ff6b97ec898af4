{{- /* name → {service, container}; with an endpoint, `ports` are for the members among themselves. */ -}}
{{- define "common.pod.ports.all" -}}
{{ include "common.pod.ports.endpoint" . }}
{{- range $name, $port := .unit.ports }}
{{ $name }}: {service: {{ int64 $port }}, container: {{ int64 $port }}}
{{- end }}
{{- end -}}
