{{- /* apiVersion-independent head of an object: .name, .component, .annotations, .kind where it is of no namespace. */ -}}
{{- define "common.context.metadata" -}}
metadata:
  name: {{ .name }}
  {{- if ne (toString .kind) "ClusterRole" }}
  namespace: {{ .namespace | default .ctx.namespace }}
  {{- end }}
  labels:
    {{- include "common.context.labels" . | nindent 4 }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
