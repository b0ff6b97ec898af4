{{- /*
`pod.replicas`: a number for all components of the chart, or a map by component; else 1. At most the component's
`max_replicas`.
*/ -}}
{{- define "common.context.replicas" -}}
{{- $replicas := .ctx.values.pod.replicas -}}
{{- if kindIs "map" $replicas -}}
{{- $replicas = include "common.context.pick" (dict "ctx" .ctx "key" .key "of" $replicas) | mustFromJson -}}
{{- end -}}
{{- $most := dig .key "max_replicas" 0 (.ctx.root.Values.components | default dict) | int64 -}}
{{- $count := ternary 1 (int64 $replicas) (kindIs "invalid" $replicas) -}}
{{- if $most -}}{{ min $count $most }}{{- else -}}{{ $count }}{{- end -}}
{{- end -}}
