{{- /* Labels of an object. The chart's version is here and nowhere else: selectors and pods must not change with it. */ -}}
{{- define "common.context.labels" -}}
{{ include "common.context.selector" . }}
app.kubernetes.io/managed-by: {{ .ctx.root.Release.Service }}
app.kubernetes.io/part-of: openstack
helm.sh/chart: {{ printf "%s-%s" .ctx.chart .ctx.root.Chart.Version | replace "+" "_" | trunc 63 }}
{{- end -}}
