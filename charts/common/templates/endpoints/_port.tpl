{{- /* A port of an endpoint: .type, .interface (internal; `service` is where the pod listens), .port (the first by name). */ -}}
{{- define "common.endpoints.port" -}}
{{- $entry := include "common.endpoints.entry" . | mustFromJson -}}
{{- $ports := $entry.port | default dict -}}
{{- $name := .port | default (first (keys $ports | sortAlpha)) -}}
{{- $port := get $ports $name -}}
{{- $interface := .interface | default "internal" -}}
{{- $number := include "common.endpoints.value" (dict "of" $port "interface" $interface) -}}
{{- if and (eq $interface "service") (kindIs "map" $port) (not (hasKey $port "service")) -}}
{{- $number = include "common.endpoints.value" (dict "of" $port "interface" "internal") -}}
{{- end -}}
{{- if not $number -}}
{{- fail (printf "endpoints.%s.port.%s.default is needed and not set" .type $name) -}}
{{- end -}}
{{- $number -}}
{{- end -}}
