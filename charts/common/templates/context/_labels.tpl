{{- /* Labels of an object, those that Kubernetes recommends. Versions are here and nowhere else: selectors and pods must not change with them. */ -}}
{{- define "common.context.labels" -}}
{{ include "common.context.selector" . }}
app.kubernetes.io/managed-by: {{ .ctx.root.Release.Service }}
app.kubernetes.io/part-of: openstack
{{- with .ctx.root.Chart.AppVersion }}
app.kubernetes.io/version: {{ . | replace "+" "_" | trunc 63 | quote }}
{{- end }}
helm.sh/chart: {{ printf "%s-%s" .ctx.chart .ctx.root.Chart.Version | replace "+" "_" | trunc 63 }}
{{- end -}}
