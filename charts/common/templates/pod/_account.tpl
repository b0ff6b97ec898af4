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
{{- $names := list (include "common.context.name" (dict "ctx" $.ctx "key" $key)) -}}
{{- /* Those that a group of nodes does not need are missing, which counts as rolled out. */ -}}
{{- range ternary $.ctx.groups list (eq $resource "daemonsets") -}}
{{- if .changes -}}{{- $names = append $names (include "common.context.name" (dict "ctx" $.ctx "key" (printf "%s-%s" $key .name))) -}}{{- end -}}
{{- end -}}
{{- $rule := dict "apiGroups" (list "apps") "resources" (list $resource) "resourceNames" $names "verbs" (list "get") -}}
{{- $_ := set $rules "Role" (append ($rules.Role | default list) $rule) -}}
{{- if eq $resource "daemonsets" -}}
{{- /* Its pods are not awaited on nodes that are not ready. */ -}}
{{- $pods := dict "apiGroups" (list "") "resources" (list "pods") "resourceNames" list "verbs" (list "list") -}}
{{- $_ := set $rules "Role" (append $rules.Role $pods | uniq) -}}
{{- $nodes := dict "apiGroups" (list "") "resources" (list "nodes") "verbs" (list "list") -}}
{{- $_ := set $rules "ClusterRole" (append ($rules.ClusterRole | default list) $nodes) -}}
{{- end -}}
{{- range $names -}}{{- $workloads = append $workloads (printf "%s/%s" $resource .) -}}{{- end -}}
{{- end -}}
{{- $account := ternary .unit.name .ctx.release (not (empty $rules)) -}}
{{- $_ := set .ctx.accounts $account $rules -}}
{{- $_ := set .unit "account" $account -}}
{{- $_ := set .unit "workloads" $workloads -}}
{{- end -}}
