{{- /*
The start of an object, up to the end of its metadata: .kind, after its API version (`apps/v1 Deployment`);
the name of .unit, or .name, or that of .key in this release; further .labels; .annotations; .namespace if not
the release's, and none for a kind without namespaces. Only its labels have versions, because selectors and pods
must not change with them.
*/ -}}
{{- define "common.context.object" -}}
{{- $kind := splitList " " .kind | last -}}
---
apiVersion: {{ splitList " " .kind | first }}
kind: {{ $kind }}
metadata:
  name: {{ if .key }}{{ include "common.context.name" . }}{{ else if .name }}{{ .name }}{{ else }}{{ .unit.name }}{{ end }}
  {{- if not (has $kind (list "ClusterRole" "ClusterRoleBinding" "CSIDriver" "IngressClass" "StorageClass")) }}
  namespace: {{ .namespace | default .ctx.namespace }}
  {{- end }}
  labels:
    {{- include "common.context.selector" . | nindent 4 }}
    app.kubernetes.io/managed-by: {{ .ctx.root.Release.Service }}
    app.kubernetes.io/part-of: openstack
    {{- with .ctx.root.Chart.AppVersion }}
    app.kubernetes.io/version: {{ . | replace "+" "_" | trunc 63 | quote }}
    {{- end }}
    helm.sh/chart: {{ printf "%s-%s" .ctx.chart .ctx.root.Chart.Version | replace "+" "_" | trunc 63 }}
    {{- with .labels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
