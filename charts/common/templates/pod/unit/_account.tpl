{{- /*
The service account of a unit: the release's, or its own if it may do more (`rbac`, `rollout`). The rules are kept
in .accounts of the context, by the kind of role; resourceNames are this release's; `<component>-peers` is the Service of a StatefulSet's members.
What is to be rolled out is in .workloads of the unit, as the API has it: `deployments/<name>`.
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
{{- range $key := $unit.rollout -}}
{{- $resource := dig $key "kind" "Deployment" $ctx.root.Values.components | lower | printf "%ss" -}}
{{- $name := include "common.context.name" (dict "ctx" $ctx "key" $key) -}}
{{- $rules = append $rules (dict "apiGroups" (list "apps") "resources" (list $resource) "resourceNames" (list $name) "verbs" (list "get")) -}}
{{- $_ := set $unit "workloads" (append ($unit.workloads | default list) (printf "%s/%s" $resource $name)) -}}
{{- end -}}
{{- $account := ternary $unit.name $ctx.release (not (empty (concat $rules $cluster))) -}}
{{- $_ := set $ctx.accounts $account (dict "Role" $rules "ClusterRole" $cluster) -}}
{{- $_ := set $unit "account" $account -}}
{{- end -}}
