{{- /* `pod.replicas`: a number for all components of the chart, or a map by component; else 1. */ -}}
{{- define "common.context.replicas" -}}
{{- $replicas := .ctx.values.pod.replicas -}}
{{- if kindIs "map" $replicas -}}
{{- $replicas = include "common.context.pick" (dict "ctx" .ctx "key" .key "of" $replicas) | mustFromJson -}}
{{- end -}}
{{- if kindIs "invalid" $replicas -}}1{{- else -}}{{ int64 $replicas }}{{- end -}}
{{- end -}}
