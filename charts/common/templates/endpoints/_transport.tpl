{{- /*
oslo.messaging's URL of the message bus, with the service's own account; all services share its virtual host,
as in kolla.
*/ -}}
{{- define "common.endpoints.transport" -}}
{{- $bus := dict "ctx" . "type" "oslo_messaging" -}}
{{- $scheme := include "common.endpoints.value" (merge (dict "attribute" "scheme") $bus) -}}
{{- $login := include "common.endpoints.login" (merge (dict "user" .chart "default" .chart) $bus) -}}
{{- $members := include "common.endpoints.members" (merge (dict "port" "amqp" "prefix" (printf "%s@" $login)) $bus) -}}
{{ $scheme }}://{{ $members }}{{ include "common.endpoints.value" (merge (dict "attribute" "path") $bus) }}
{{- end -}}
