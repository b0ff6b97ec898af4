{{- /* The pod's security context, under the user's `pod.security_context.<unit>.pod` (seLinuxOptions, …). */ -}}
{{- define "common.pod.security" -}}
{{- $context := dict "seccompProfile" (dict "type" "RuntimeDefault") -}}
{{- $user := ternary (include "common.jobs.dump.user" . | fromYaml).runAsUser .ctx.user.id (not (empty .unit.dumps)) -}}
{{- with $user -}}
{{- $_ := set $context "fsGroup" (int64 .) -}}
{{- $_ := set $context "fsGroupChangePolicy" "OnRootMismatch" -}}
{{- end -}}
{{- include "common.context.merge" (dict "into" $context "from" (dig "pod" dict (.unit.settings.security_context | default dict))) -}}
{{- toYaml $context -}}
{{- end -}}

{{- /*
A container's security context, under the user's `pod.security_context.<unit>.container`. kolla_start copies
files with sudo: it needs to gain privileges, a writable root and a few capabilities. Containers without it
get none of these.
*/ -}}
{{- define "common.pod.security.container" -}}
{{- $context := dict "allowPrivilegeEscalation" false "readOnlyRootFilesystem" true "runAsNonRoot" (not (empty .ctx.user.id)) "runAsUser" (int64 .ctx.user.id) "capabilities" (dict "drop" (list "ALL")) -}}
{{- if .unit.privileged -}}
{{- $context = dict "privileged" true -}}
{{- else if .kolla -}}
{{- $capabilities := list "AUDIT_WRITE" "CHOWN" "DAC_OVERRIDE" "FOWNER" "KILL" "NET_BIND_SERVICE" "SETGID" "SETUID" -}}
{{- $context = dict "allowPrivilegeEscalation" true "capabilities" (dict "drop" (list "ALL") "add" $capabilities) -}}
{{- end -}}
{{- include "common.context.merge" (dict "into" $context "from" .unit.security) -}}
{{- include "common.context.merge" (dict "into" $context "from" (dig "container" dict (.unit.settings.security_context | default dict))) -}}
{{- toYaml $context -}}
{{- end -}}
