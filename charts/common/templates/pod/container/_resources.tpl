{{- /* `pod.resources.<component>` or `pod.resources.jobs.<job>`, over the facts; none with `pod.resources.enabled: false`. */ -}}
{{- define "common.pod.resources" -}}
{{- $resources := .ctx.values.pod.resources -}}
{{- $of := ternary $resources ($resources.jobs | default dict) (eq .unit.role "component") -}}
{{- $user := include "common.context.pick" (dict "ctx" .ctx "key" .unit.key "of" $of) | mustFromJson -}}
{{- $facts := .unit.resources | default (dict "requests" (dict "cpu" "20m" "memory" "64Mi")) -}}
{{- if $resources.enabled -}}
{{- $all := dict -}}
{{- include "common.context.merge" (dict "into" $all "from" $facts) -}}
{{- include "common.context.merge" (dict "into" $all "from" $user) -}}
{{- toYaml $all -}}
{{- else -}}
{}
{{- end -}}
{{- end -}}
