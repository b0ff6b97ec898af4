{{- /* A Role in .namespace and who has it. */ -}}
{{- define "common.kinds.role" }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
{{ include "common.context.metadata" . }}
rules:
  {{- toYaml .rules | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
{{ include "common.context.metadata" . }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: {{ .name }}
subjects:
  {{- range .accounts }}
  - {kind: ServiceAccount, name: {{ . }}, namespace: {{ $.ctx.namespace }}}
  {{- end }}
{{ end -}}
