{{- /* A variable whose value is in the release's Secret, under .key; the unit is told of a change by its digest. */ -}}
{{- define "common.pod.env.secret" -}}
{{- $_ := set .ctx.secrets .key .value -}}
{{- $_ := set .unit "digest" (append .unit.digest (printf "%s=%s" .key .value)) -}}
{{- $reference := dict "name" (include "common.context.secret" (dict "ctx" .ctx "key" "env")) "key" .key -}}
{{- $_ := set .unit "env" (append .unit.env (dict "name" .name "valueFrom" (dict "secretKeyRef" $reference))) -}}
{{- end -}}
