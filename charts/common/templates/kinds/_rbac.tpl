{{- /*
The service accounts of the release. Those whose pods wait may read what they wait for, in its namespace; one
that has its own rules has its own Role.
*/ -}}
{{- define "common.kinds.rbac" -}}
{{- if include "common.context.enabled" (dict "ctx" . "key" "rbac") -}}
{{- range $account, $rules := .accounts }}
{{ include "common.context.object" (dict "kind" "v1 ServiceAccount" "ctx" $ "name" $account) }}
automountServiceAccountToken: false
{{ range $kind, $allowed := $rules -}}
{{- $name := ternary (printf "%s-%s" $.namespace $account) $account (eq $kind "ClusterRole") -}}
{{ include "common.kinds.rbac.role" (dict "ctx" $ "kind" $kind "name" $name "rules" $allowed "accounts" (list $account)) }}
{{- end -}}
{{- end -}}
{{- if .values.dependencies.enabled -}}
{{- $rules := list
  (dict "apiGroups" (list "") "resources" (list "services" "endpoints") "verbs" (list "get" "list"))
  (dict "apiGroups" (list "discovery.k8s.io") "resources" (list "endpointslices") "verbs" (list "get" "list")) -}}
{{- $jobs := dict "apiGroups" (list "batch") "resources" (list "jobs") "verbs" (list "get" "list") -}}
{{- range $namespace := .gates | uniq -}}
{{- $owner := ternary $.release (printf "%s-%s" $.namespace $.release) (eq $namespace $.namespace) -}}
{{- $name := include "common.context.name" (dict "ctx" (dict "release" $owner) "key" "dependencies") -}}
{{- $all := ternary (append $rules $jobs) $rules (eq $namespace $.namespace) -}}
{{ include "common.kinds.rbac.role" (dict "ctx" $ "kind" "Role" "name" $name "namespace" $namespace "rules" $all "accounts" (keys $.gated | sortAlpha)) }}
{{- end }}{{ end }}{{ end -}}
{{- end -}}

{{- /* A Role or ClusterRole (.kind), in .namespace if not the release's, bound to .accounts. */ -}}
{{- define "common.kinds.rbac.role" }}
{{ include "common.context.object" (merge (dict "kind" (printf "rbac.authorization.k8s.io/v1 %s" .kind)) .) }}
rules:
  {{- toYaml .rules | nindent 2 }}
{{ include "common.context.object" (merge (dict "kind" (printf "rbac.authorization.k8s.io/v1 %sBinding" .kind)) .) }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ .kind }}
  name: {{ .name }}
subjects:
  {{- range .accounts }}
  - {kind: ServiceAccount, name: {{ . }}, namespace: {{ $.ctx.namespace }}}
  {{- end }}
{{ end -}}
