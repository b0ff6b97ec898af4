{{- /*
A container's security context, under the user's `pod.security_context.<unit>.container`. kolla_start copies files
with sudo: it needs to gain privileges, a writable root and a few capabilities. What runs without it gets nothing.
*/ -}}
{{- define "common.pod.security.container" -}}
{{- $context := dict "allowPrivilegeEscalation" false "readOnlyRootFilesystem" true "runAsNonRoot" (not (empty .ctx.user.id)) "runAsUser" (int64 .ctx.user.id) "capabilities" (dict "drop" (list "ALL")) -}}
{{- if .kolla -}}
{{- $capabilities := list "AUDIT_WRITE" "CHOWN" "DAC_OVERRIDE" "FOWNER" "KILL" "NET_BIND_SERVICE" "SETGID" "SETUID" -}}
{{- $context = dict "allowPrivilegeEscalation" true "capabilities" (dict "drop" (list "ALL") "add" $capabilities) -}}
{{- end -}}
{{- if .unit.privileged -}}
{{- $context = dict "privileged" true -}}
{{- end -}}
{{- include "common.context.merge" (dict "into" $context "from" .unit.security) -}}
{{- $user := include "common.context.pick" (dict "ctx" .ctx "key" .unit.key "of" .ctx.values.pod.security_context) | mustFromJson -}}
{{- include "common.context.merge" (dict "into" $context "from" (dig "container" dict ($user | default dict))) -}}
{{- toYaml $context -}}
{{- end -}}
