{{- /*
The service account of a unit: the release's, or its own if it needs more rights (`rbac`, `rollout`). The
rules are collected in .accounts of the context, by the kind of role; resourceNames are this release's;
`<component>-peers` is the Service of a StatefulSet's members. The workloads in `rollout` are in .workloads of
the unit, in the API's notation: `deployments/<name>`.
*/ -}}
{{- define "common.pod.account" -}}
{{- $rules := dict -}}
{{- $workloads := list -}}
{{- range .unit.rbac -}}
{{- $names := list -}}
{{- range .resourceNames -}}
{{- $suffix := ternary "-peers" "" (hasSuffix "-peers" (toString .)) -}}
{{- $key := ternary . (toString . | trimSuffix "-peers") (kindIs "map" .) -}}
{{- $names = append $names (printf "%s%s" (include "common.context.name" (dict "ctx" $.ctx "key" $key)) $suffix) -}}
{{- end -}}
{{- $kind := ternary "ClusterRole" "Role" (.cluster | default false) -}}
{{- $rule := dict "apiGroups" .apiGroups "resources" .resources "resourceNames" $names "verbs" .verbs -}}
{{- $_ := set $rules $kind (append (get $rules $kind | default list) $rule) -}}
{{- end -}}
{{- range $key := .unit.rollout -}}
{{- $resource := dig $key "kind" "Deployment" $.ctx.root.Values.components | lower | printf "%ss" -}}
{{- $name := include "common.context.name" (dict "ctx" $.ctx "key" $key) -}}
{{- $rule := dict "apiGroups" (list "apps") "resources" (list $resource) "resourceNames" (list $name) "verbs" (list "get") -}}
{{- $_ := set $rules "Role" (append ($rules.Role | default list) $rule) -}}
{{- $workloads = append $workloads (printf "%s/%s" $resource $name) -}}
{{- end -}}
{{- $account := ternary .unit.name .ctx.release (not (empty $rules)) -}}
{{- $_ := set .ctx.accounts $account $rules -}}
{{- $_ := set .unit "account" $account -}}
{{- $_ := set .unit "workloads" $workloads -}}
{{- end -}}
