{{- /*
How a container ends: whoever has clients goes on for some seconds (`drain`), until every node sends new ones to
another pod. The component's own `lifecycle` wins.
*/ -}}
{{- define "common.pod.lifecycle" -}}
{{- $unit := .unit -}}
{{- $lifecycle := dict -}}
{{- $drain := ternary $unit.drain (ternary 5 0 (not (empty $unit.endpoint))) (hasKey $unit "drain") | int -}}
{{- if $drain -}}
{{- $_ := set $lifecycle "preStop" (dict "exec" (dict "command" (list "sleep" (toString $drain)))) -}}
{{- end -}}
{{- include "common.context.merge" (dict "into" $lifecycle "from" $unit.lifecycle) -}}
{{- if $lifecycle -}}
{{- toYaml $lifecycle -}}
{{- end -}}
{{- end -}}
