{{- /*
A port of an endpoint: .type, .interface (internal; `service` is the port of the pod), .port (the first by
name).
*/ -}}
{{- define "common.endpoints.port" -}}
{{- $ports := (include "common.endpoints.entry" . | mustFromJson).port | default dict -}}
{{- $name := .port | default (keys $ports | sortAlpha | first) -}}
{{- $port := get $ports $name -}}
{{- $interface := .interface | default "internal" -}}
{{- if and (eq $interface "service") (kindIs "map" $port) (not (hasKey $port "service")) -}}
{{- $interface = "internal" -}}
{{- end -}}
{{- include "common.endpoints.value" (dict "ctx" .ctx "type" .type "attribute" (printf "port.%s" $name) "interface" $interface)
  | required (printf "endpoints.%s.port.%s.default is needed and not set" .type $name) -}}
{{- end -}}
