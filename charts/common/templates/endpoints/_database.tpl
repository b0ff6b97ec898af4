{{- /* SQLAlchemy's URL of a database: .name, .user. */ -}}
{{- define "common.endpoints.database" -}}
{{- $server := dict "ctx" .ctx "type" "oslo_db" -}}
{{- $scheme := include "common.endpoints.value" (merge (dict "attribute" "scheme") $server) -}}
{{- $login := include "common.endpoints.login" (merge (dict "user" .user "default" .user) $server) -}}
{{ $scheme }}://{{ $login }}@{{ include "common.endpoints.host" $server }}:{{ include "common.endpoints.port" $server }}/{{ .name }}{{ if .ctx.values.tls.internal }}?ssl_ca=/etc/tls/ca.crt{{ end }}
{{- end -}}
