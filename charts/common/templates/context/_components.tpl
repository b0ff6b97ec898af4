{{- /* Sets .components of the context: the chart's components, completed. */ -}}
{{- define "common.context.components" -}}
{{- $ctx := . -}}
{{- $components := dict -}}
{{- range $key, $facts := .root.Values.components -}}
{{- if $facts -}}
{{- $unit := deepCopy $facts -}}
{{- if ne (dig "storage" "backend" $ctx.values.storage.backend $unit) $ctx.values.storage.backend -}}
{{- $_ := unset $unit "storage" -}}
{{- end -}}
{{- $_ := set $unit "kind" ($unit.kind | default "Deployment") -}}
{{- $_ := set $unit "replicas" (include "common.context.replicas" (dict "ctx" $ctx "key" $key) | int) -}}
{{- $_ := set $unit "main" (keys (dig ($unit.endpoint | default "") "port" ($unit.ports | default dict) $ctx.endpoints) | sortAlpha | first | default "" | replace "_" "-") -}}
{{- include "common.pod.unit" (dict "ctx" $ctx "role" "component" "key" $key "unit" $unit) -}}
{{- $_ := set $components $key $unit -}}
{{- end -}}
{{- end -}}
{{- $_ := set $ctx "components" $components -}}
{{- end -}}
