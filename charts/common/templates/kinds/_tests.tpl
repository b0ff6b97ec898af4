{{- /* `tests.<name>`: the facts of a pod that uses the service when `helm test` asks for it. */ -}}
{{- define "common.kinds.tests" -}}
{{- range $key, $facts := .root.Values.tests -}}
{{- if and $facts (include "common.context.enabled" (dict "ctx" $ "key" (printf "pod-%s" $key))) -}}
{{- $unit := deepCopy $facts -}}
{{- include "common.pod.unit" (dict "ctx" $ "role" "test" "key" $key "unit" $unit) }}
---
apiVersion: v1
kind: Pod
{{ include "common.context.metadata" (dict "ctx" $ "unit" $unit "annotations" (dict "helm.sh/hook" "test" "helm.sh/hook-delete-policy" "before-hook-creation")) }}
spec:
  {{- include "common.pod.spec" (dict "ctx" $ "unit" $unit) | nindent 2 }}
{{ end -}}
{{- end -}}
{{- end -}}
