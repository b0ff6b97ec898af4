{{- /*
The service account of a unit: the release's, or its own if it may do more (`rbac`, `rollout`). The rules are kept
in .accounts of the context, by the kind of role; resourceNames are this release's; `<component>-peers` is the Service of a StatefulSet's members.
*/ -}}
{{- define "common.pod.account" -}}
{{- $ctx := .ctx -}}
{{- $unit := .unit -}}
{{- $rules := list -}}
{{- $cluster := list -}}
{{- range $_, $rule := $unit.rbac -}}
{{- $names := list -}}
{{- range $rule.resourceNames -}}
{{- $suffix := ternary "-peers" "" (hasSuffix "-peers" .) -}}
{{- $names = append $names (printf "%s%s" (include "common.context.name" (dict "ctx" $ctx "key" (trimSuffix "-peers" .))) $suffix) -}}
{{- end -}}
{{- $allowed := dict "apiGroups" $rule.apiGroups "resources" $rule.resources "resourceNames" $names "verbs" $rule.verbs -}}
{{- if $rule.cluster -}}{{- $cluster = append $cluster $allowed -}}{{- else -}}{{- $rules = append $rules $allowed -}}{{- end -}}
{{- end -}}
{{- with $unit.rollout -}}
{{- $names := list -}}
{{- range . -}}
{{- $names = append $names (include "common.context.name" (dict "ctx" $ctx "key" .)) -}}
{{- end -}}
{{- $rules = append $rules (dict "apiGroups" (list "apps") "resources" (list "deployments") "resourceNames" $names "verbs" (list "get")) -}}
{{- end -}}
{{- $account := ternary $unit.name $ctx.release (not (empty (concat $rules $cluster))) -}}
{{- $_ := set $ctx.accounts $account (dict "Role" $rules "ClusterRole" $cluster) -}}
{{- $_ := set $unit "account" $account -}}
{{- end -}}
