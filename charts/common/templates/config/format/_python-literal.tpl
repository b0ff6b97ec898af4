{{- /* JSON but for its three words; JSON's strings are Python's too. */ -}}
{{- define "common.config.format.python.literal" -}}
{{- if kindIs "map" . -}}
{ {{- range $key, $value := . -}}{{ toJson $key }}: {{ include "common.config.format.python.literal" $value }}, {{ end -}} }
{{- else if kindIs "slice" . -}}
[{{- range . -}}{{ include "common.config.format.python.literal" . }}, {{ end -}}]
{{- else if kindIs "bool" . -}}
{{ ternary "True" "False" . }}
{{- else if kindIs "invalid" . -}}
None
{{- else -}}
{{ toJson . }}
{{- end -}}
{{- end -}}
