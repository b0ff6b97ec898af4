{{- /* The labels that never change in the life of a release: they are immutable in every workload. */ -}}
{{- define "common.context.selector" -}}
app.kubernetes.io/name: {{ .ctx.chart }}
app.kubernetes.io/instance: {{ .ctx.release }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end -}}
