{{- define "common.config.format.yaml" -}}
{{- toYaml . -}}
{{- end -}}
