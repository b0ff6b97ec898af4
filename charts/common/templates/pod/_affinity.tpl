{{- /* Pods of one component apart: preferred, unless `pod.affinity.anti.type` says required. */ -}}
{{- define "common.pod.affinity" -}}
{{- $anti := .ctx.values.pod.affinity.anti -}}
{{- $key := .unit.key -}}
{{- $type := include "common.context.pick" (dict "ctx" .ctx "key" $key "of" $anti.type) | mustFromJson -}}
{{- $topology := include "common.context.pick" (dict "ctx" .ctx "key" $key "of" $anti.topologyKey) | mustFromJson -}}
{{- $selector := fromYaml (include "common.context.selector" (dict "ctx" .ctx "component" $key)) -}}
{{- $term := dict "topologyKey" $topology "labelSelector" (dict "matchLabels" $selector) -}}
{{- if hasPrefix "preferred" $type -}}
{{- $term = dict "weight" (include "common.context.pick" (dict "ctx" .ctx "key" $key "of" $anti.weight) | mustFromJson | int64) "podAffinityTerm" $term -}}
{{- end -}}
{{- toYaml (dict $type (list $term)) -}}
{{- end -}}
