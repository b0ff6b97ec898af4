{{- /* The labels that never change in the life of a release, nor in that of its .unit: they are immutable in every workload. */ -}}
{{- define "common.context.selector" -}}
app.kubernetes.io/name: {{ .ctx.chart }}
app.kubernetes.io/instance: {{ .ctx.release }}
{{- with .unit }}
app.kubernetes.io/component: {{ .key }}
{{- end }}
{{- end -}}
