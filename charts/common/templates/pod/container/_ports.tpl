{{- /* The containerPorts of a component: those of its endpoint, and its own. */ -}}
{{- define "common.pod.ports" -}}
{{- range $name, $port := include "common.pod.ports.all" . | fromYaml }}
- {name: {{ $name }}, containerPort: {{ $port.container }}}
{{- end }}
{{- end -}}
