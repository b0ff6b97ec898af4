{{- define "common.config.format.text" -}}
{{- . -}}
{{- end -}}
