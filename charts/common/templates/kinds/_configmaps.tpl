{{- /* The release's two ConfigMaps, under openstack-helm's names: `etc`, the files, and `bin`, the scripts. */ -}}
{{- define "common.kinds.configmaps" -}}
{{- $ctx := . -}}
{{- $etc := dict -}}
{{- range $name, $text := .configs -}}
{{- $_ := set $etc $name $text -}}
{{- end -}}
{{- range $_, $file := .files -}}
{{- if and $file.imported (not $file.secret) -}}
{{- $_ := set $etc $file.name $file.text -}}
{{- else if and (or $file.path $file.live) $file.text (not $file.secret) -}}
{{- $_ := set $etc $file.name (trim $file.text | printf "%s\n") -}}
{{- end -}}
{{- end -}}
{{- range $key, $data := dict "etc" $etc "bin" .scripts -}}
{{- if and $data (include "common.context.enabled" (dict "ctx" $ctx "key" (printf "configmap-%s" $key))) }}
---
apiVersion: v1
kind: ConfigMap
{{ include "common.context.metadata" (dict "ctx" $ctx "name" (include "common.context.name" (dict "ctx" $ctx "key" $key))) }}
data:
  {{- toYaml $data | nindent 2 }}
{{ end -}}
{{- end -}}
{{- end -}}
