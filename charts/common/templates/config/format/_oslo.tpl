{{- define "common.config.format.oslo" -}}
{{- include "common.config.format.ini" . -}}
{{- end -}}
