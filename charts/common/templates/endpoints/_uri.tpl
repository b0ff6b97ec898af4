{{- /* The URL of an endpoint: .type, .interface (internal). The port that the scheme implies is left out. */ -}}
{{- define "common.endpoints.uri" -}}
{{- $interface := .interface | default "internal" -}}
{{- $entry := include "common.endpoints.entry" . | mustFromJson -}}
{{- $scheme := include "common.endpoints.value" (dict "of" $entry.scheme "interface" $interface) | default "http" -}}
{{- $port := include "common.endpoints.port" . -}}
{{- $path := include "common.endpoints.value" (dict "of" $entry.path "interface" $interface) -}}
{{- $implied := get (dict "http" "80" "https" "443") $scheme -}}
{{ $scheme }}://{{ include "common.endpoints.host" . }}{{ if ne $port $implied }}:{{ $port }}{{ end }}{{ $path }}
{{- end -}}
