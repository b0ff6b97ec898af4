{{- /* `tests.<name>`: the facts of a pod that uses the service when `helm test` asks for it. */ -}}
{{- define "common.kinds.tests" -}}
{{- $ctx := . -}}
{{- range $key, $facts := .root.Values.tests -}}
{{- if and $facts (include "common.context.enabled" (dict "ctx" $ctx "key" (printf "pod-%s" $key))) -}}
{{- $unit := deepCopy $facts -}}
{{- $_ := set $unit "restart" "Never" -}}
{{- include "common.pod.unit" (dict "ctx" $ctx "role" "test" "key" $key "unit" $unit) }}
---
apiVersion: v1
kind: Pod
{{ include "common.context.metadata" (dict "ctx" $ctx "name" $unit.name "component" $key "annotations" (dict "helm.sh/hook" "test" "helm.sh/hook-delete-policy" "before-hook-creation")) }}
spec:
  {{- include "common.pod.spec" (dict "ctx" $ctx "unit" $unit) | nindent 2 }}
{{ end -}}
{{- end -}}
{{- end -}}
