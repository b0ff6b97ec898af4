{{- /*
`tests.<name>`: the facts of a pod with which `helm test` uses the service or, with `scope: user`, the whole
cloud: that one kk runs after all other tests.
*/ -}}
{{- define "common.kinds.tests" -}}
{{- range $key, $facts := .root.Values.tests -}}
{{- if and $facts (include "common.context.enabled" (dict "ctx" $ "key" (printf "pod-%s" $key))) -}}
{{- $unit := deepCopy $facts -}}
{{- include "common.pod.unit" (dict "ctx" $ "role" "test" "key" $key "unit" $unit) }}
{{- $hook := merge (dict "helm.sh/hook" "test" "helm.sh/hook-delete-policy" "before-hook-creation") ($unit.settings.annotations | default dict) }}
{{- with $unit.scope }}
{{- $_ := set $hook "kk.openstack.org/test" . }}
{{- end }}
{{ include "common.context.object" (dict "kind" "v1 Pod" "ctx" $ "unit" $unit "annotations" $hook) }}
spec:
  {{- include "common.pod.spec" (dict "ctx" $ "unit" $unit) | nindent 2 }}
{{ end -}}
{{- end -}}
{{- end -}}
