{{- /* oslo.messaging's URL of the message bus; one account and one virtual host for all, as kolla does it. */ -}}
{{- define "common.endpoints.transport" -}}
{{- $bus := dict "ctx" . "type" "oslo_messaging" -}}
{{- $scheme := include "common.endpoints.value" (merge (dict "attribute" "scheme") $bus) -}}
{{- $login := include "common.endpoints.login" (merge (dict "user" "admin") $bus) -}}
{{- $members := include "common.endpoints.members" (merge (dict "port" "amqp" "prefix" (printf "%s@" $login)) $bus) -}}
{{ $scheme }}://{{ $members }}{{ include "common.endpoints.value" (merge (dict "attribute" "path") $bus) }}
{{- end -}}
