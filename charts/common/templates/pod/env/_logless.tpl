{{- /*
"true" for a job that reads a file which was generated elsewhere: kolla's write logs to files, in a directory that only
the start of a service makes.
*/ -}}
{{- define "common.pod.env.logless" -}}
{{- $ctx := .ctx -}}
{{- if and .unit.kolla (ne .unit.role "component") -}}
{{- range $key := .unit.files -}}
{{- if dig $key "imported" false $ctx.files -}}true{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
