{{- /* oslo.messaging's URL of the message bus; one account and one virtual host for all, as kolla does it. */ -}}
{{- define "common.endpoints.transport" -}}
{{- $entry := include "common.endpoints.entry" (dict "ctx" . "type" "oslo_messaging") | mustFromJson -}}
{{- $scheme := include "common.endpoints.value" (dict "of" $entry.scheme "interface" "internal") -}}
{{- $path := include "common.endpoints.value" (dict "of" $entry.path "interface" "internal") -}}
{{- $user := include "common.endpoints.auth" (dict "ctx" . "type" "oslo_messaging" "user" "admin" "field" "username") -}}
{{- $password := include "common.endpoints.credential" (dict "ctx" . "path" "oslo_messaging.admin.password") -}}
{{- $account := printf "%s:%s@" (include "common.endpoints.escape" $user) (include "common.endpoints.escape" $password) -}}
{{ $scheme }}://{{ include "common.endpoints.members" (dict "ctx" . "type" "oslo_messaging" "port" "amqp" "prefix" $account) }}{{ $path }}
{{- end -}}
