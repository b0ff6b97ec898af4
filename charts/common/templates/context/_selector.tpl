{{- /*
The labels that never change during the life of a release and of its .unit: in every workload they are
immutable.
*/ -}}
{{- define "common.context.selector" -}}
app.kubernetes.io/name: {{ .ctx.chart }}
app.kubernetes.io/instance: {{ .ctx.release }}
{{- with .unit }}
app.kubernetes.io/component: {{ .key }}
{{- with .group }}
kk.openstack.org/node-group: {{ . }}
{{- end }}
{{- end }}
{{- end -}}
