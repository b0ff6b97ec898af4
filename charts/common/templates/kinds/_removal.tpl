{{- /*
A hook object that helm creates before it uninstalls a protected chart, and deletes again. It is empty: kk's
guard denies its creation, and so ends a removal before anything is deleted. It is created if the guard is not
installed, or approves.
*/ -}}
{{- define "common.kinds.removal" -}}
{{- if eq (index .root.Chart.Annotations "kk.openstack.org/protected" | default "") "true" }}
{{- $ctx := merge (dict "release" .root.Release.Name) . }}
{{- $hook := dict "helm.sh/hook" "pre-delete" "helm.sh/hook-delete-policy" "before-hook-creation,hook-succeeded" }}
{{ include "common.context.object" (dict "kind" "v1 ConfigMap" "ctx" $ctx "key" "removal" "annotations" $hook) }}
{{ end -}}
{{- end -}}
