{{- /* A value as text. Helm's numbers are floats: printed bare, 1048576 becomes 1.048576e+06. */ -}}
{{- define "common.config.scalar" -}}
{{- if kindIs "string" . -}}{{ . }}{{- else -}}{{ toJson . }}{{- end -}}
{{- end -}}
