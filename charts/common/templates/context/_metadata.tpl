{{- /* apiVersion-independent head of an object: .name, .component, .annotations. */ -}}
{{- define "common.context.metadata" -}}
metadata:
  name: {{ .name }}
  namespace: {{ .namespace | default .ctx.namespace }}
  labels:
    {{- include "common.context.labels" . | nindent 4 }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
