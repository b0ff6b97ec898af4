{{- /* "true" if the unit gets this variable of a file: all, unless `reads` names the sections that it needs. */ -}}
{{- define "common.pod.env.read" -}}
{{- $variable := .variable -}}
{{- if not .unit.reads -}}
true
{{- else -}}
{{- range .unit.reads -}}
{{- if hasPrefix (printf "OS_%s__" (upper .)) $variable -}}true{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
