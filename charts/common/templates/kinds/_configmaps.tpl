{{- /*
The release's ConfigMaps: under openstack-helm's names `etc`, the files, and `bin`, the scripts; and those that
its files name, such as `dashboards` with the label by which Grafana's chart finds them.
*/ -}}
{{- define "common.kinds.configmaps" -}}
{{- range $key, $data := .configmaps -}}
{{- if and $data (include "common.context.enabled" (dict "ctx" $ "key" (printf "configmap-%s" $key))) }}
{{ include "common.context.object" (dict "kind" "v1 ConfigMap" "ctx" $ "key" $key "labels" (ternary (dict "grafana_dashboard" "1") dict (eq $key "dashboards"))) }}
data:
  {{- toYaml $data | nindent 2 }}
{{ end -}}
{{- end -}}
{{- end -}}
