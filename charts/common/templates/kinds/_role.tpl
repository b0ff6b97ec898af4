{{- /* A Role in .namespace, or a ClusterRole (.kind), and who has it. */ -}}
{{- define "common.kinds.role" -}}
{{- $kind := .kind | default "Role" }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}
{{ include "common.context.metadata" . }}
rules:
  {{- toYaml .rules | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ $kind }}Binding
{{ include "common.context.metadata" . }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ $kind }}
  name: {{ .name }}
subjects:
  {{- range .accounts }}
  - {kind: ServiceAccount, name: {{ . }}, namespace: {{ $.ctx.namespace }}}
  {{- end }}
{{ end -}}
