{{- /* oslo.db: .params {name, user, section}; by default the first database of the chart. */ -}}
{{- define "common.config.block.database" -}}
{{- $name := .params.name | default (keys .ctx.root.Values.databases | sortAlpha | first) -}}
{{- $user := .params.user | default (dig $name "user" $name .ctx.root.Values.databases) -}}
needs: [oslo_db]
options:
  {{ .params.section | default "database" }}:
    connection: {{ include "common.endpoints.database" (dict "ctx" .ctx "name" $name "user" $user) | quote }}
    connection_recycle_time: 10
    max_pool_size: 1
    max_retries: -1
{{- end -}}
