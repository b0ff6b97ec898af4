{{- define "common.config.format.json" -}}
{{- toPrettyJson . -}}
{{- end -}}
