{{- /* kolla's directory: the unit's config.json and its files, from the ConfigMap and the Secret. */ -}}
{{- define "common.pod.volumes.config" -}}
{{- $ctx := .ctx -}}
{{- $public := list (dict "key" (printf "%s.json" .unit.key) "path" "config.json") -}}
{{- $secret := list -}}
{{- range $key := .unit.files -}}
{{- $file := get $ctx.files $key -}}
{{- $item := dict "key" $file.name "path" $file.source -}}
{{- $present := or $file.text $file.imported -}}
{{- if and $present $file.secret -}}
{{- $secret = append $secret $item -}}
{{- else if $present -}}
{{- $public = append $public $item -}}
{{- end -}}
{{- end -}}
- name: config
  projected:
    sources:
      - configMap: {name: {{ include "common.context.name" (dict "ctx" $ctx "key" "etc") }}, items: {{ toJson $public }}}
      {{- with $secret }}
      - secret: {name: {{ include "common.context.secret" (dict "ctx" $ctx "key" "files") }}, items: {{ toJson . }}}
      {{- end }}
{{- end -}}
