{{- /*
The metadata of an object of .unit, or of .name; with .annotations, in .namespace if not the release's, in none if its .kind has none.
Versions are in its labels and nowhere else: selectors and pods must not change with them.
*/ -}}
{{- define "common.context.metadata" -}}
metadata:
  name: {{ with .name }}{{ . }}{{ else }}{{ .unit.name }}{{ end }}
  {{- if not (has (toString .kind) (list "ClusterRole" "IngressClass")) }}
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
  {{- with .annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
