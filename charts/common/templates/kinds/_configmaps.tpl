{{- /* The release's two ConfigMaps, under openstack-helm's names: `etc`, the files, and `bin`, the scripts. */ -}}
{{- define "common.kinds.configmaps" -}}
{{- range $key, $data := .configmaps -}}
{{- if and $data (include "common.context.enabled" (dict "ctx" $ "key" (printf "configmap-%s" $key))) }}
---
apiVersion: v1
kind: ConfigMap
{{ include "common.context.metadata" (dict "ctx" $ "name" (include "common.context.name" (dict "ctx" $ "key" $key))) }}
data:
  {{- toYaml $data | nindent 2 }}
{{ end -}}
{{- end -}}
{{- end -}}
