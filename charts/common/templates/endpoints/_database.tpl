{{- /* SQLAlchemy's URL of a database: .name, .user. */ -}}
{{- define "common.endpoints.database" -}}
{{- $entry := include "common.endpoints.entry" (dict "ctx" .ctx "type" "oslo_db") | mustFromJson -}}
{{- $scheme := include "common.endpoints.value" (dict "of" $entry.scheme "interface" "internal") -}}
{{- $user := include "common.endpoints.auth" (dict "ctx" .ctx "type" "oslo_db" "user" .user "field" "username" "default" .user) -}}
{{- $password := include "common.endpoints.credential" (dict "ctx" .ctx "path" (printf "oslo_db.%s.password" .user)) -}}
{{- $address := printf "%s:%s" (include "common.endpoints.host" (dict "ctx" .ctx "type" "oslo_db")) (include "common.endpoints.port" (dict "ctx" .ctx "type" "oslo_db")) -}}
{{ $scheme }}://{{ include "common.endpoints.escape" $user }}:{{ include "common.endpoints.escape" $password }}@{{ $address }}/{{ .name }}
{{- end -}}
