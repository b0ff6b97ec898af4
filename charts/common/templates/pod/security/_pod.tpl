{{- /* The pod's security context, under the user's `pod.security_context.<unit>.pod` (seLinuxOptions, …). */ -}}
{{- define "common.pod.security" -}}
{{- $context := dict "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- with .ctx.user.id -}}
{{- $_ := set $context "fsGroup" (int64 .) -}}
{{- $_ := set $context "fsGroupChangePolicy" "OnRootMismatch" -}}
{{- end -}}
{{- $user := include "common.context.pick" (dict "ctx" .ctx "key" .unit.key "of" .ctx.values.pod.security_context) | mustFromJson -}}
{{- include "common.context.merge" (dict "into" $context "from" (dig "pod" dict ($user | default dict))) -}}
{{- toYaml $context -}}
{{- end -}}
