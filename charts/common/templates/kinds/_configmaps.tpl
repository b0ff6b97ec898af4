{{- /* The release's two ConfigMaps, under openstack-helm's names: `etc`, the files, and `bin`, the scripts. */ -}}
{{- define "common.kinds.configmaps" -}}
{{- range $key, $data := .configmaps -}}
{{- if and $data (include "common.context.enabled" (dict "ctx" $ "key" (printf "configmap-%s" $key))) }}
{{ include "common.context.object" (dict "kind" "v1 ConfigMap" "ctx" $ "key" $key) }}
data:
  {{- toYaml $data | nindent 2 }}
{{ end -}}
{{- end -}}
{{- end -}}
