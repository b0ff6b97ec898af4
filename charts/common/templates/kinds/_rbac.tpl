{{- /*
The service accounts of the release. Those whose pods wait may look at what they wait for, where it is; one that
has rules of its own has a Role of its own.
*/ -}}
{{- define "common.kinds.rbac" -}}
{{- $ctx := . -}}
{{- if include "common.context.enabled" (dict "ctx" $ctx "key" "rbac") -}}
{{- range $account, $rules := .accounts }}
---
apiVersion: v1
kind: ServiceAccount
{{ include "common.context.metadata" (dict "ctx" $ctx "name" $account) }}
automountServiceAccountToken: false
{{ range $kind, $allowed := $rules -}}
{{- $name := ternary (printf "%s-%s" $ctx.namespace $account) $account (eq $kind "ClusterRole") -}}
{{- if $allowed -}}
{{ include "common.kinds.role" (dict "ctx" $ctx "kind" $kind "name" $name "namespace" $ctx.namespace "rules" $allowed "accounts" (list $account)) }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if .values.dependencies.enabled -}}
{{- $rules := list
  (dict "apiGroups" (list "") "resources" (list "services" "endpoints") "verbs" (list "get" "list"))
  (dict "apiGroups" (list "discovery.k8s.io") "resources" (list "endpointslices") "verbs" (list "get" "list")) -}}
{{- $jobs := dict "apiGroups" (list "batch") "resources" (list "jobs") "verbs" (list "get" "list") -}}
{{- range $namespace := .gates | uniq -}}
{{- $owner := ternary $ctx.release (printf "%s-%s" $ctx.namespace $ctx.release) (eq $namespace $ctx.namespace) -}}
{{- $name := include "common.context.name" (dict "ctx" (dict "release" $owner) "key" "dependencies") -}}
{{- $all := ternary (append $rules $jobs) $rules (eq $namespace $ctx.namespace) -}}
{{ include "common.kinds.role" (dict "ctx" $ctx "name" $name "namespace" $namespace "rules" $all "accounts" (keys $ctx.gated | sortAlpha)) }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
