{{- /* The URL of an endpoint: .type, .interface (internal). Omits the port that the scheme implies. */ -}}
{{- define "common.endpoints.uri" -}}
{{- $scheme := include "common.endpoints.value" (merge (dict "attribute" "scheme") .) | default "http" -}}
{{- $port := include "common.endpoints.port" . -}}
{{- $path := include "common.endpoints.value" (merge (dict "attribute" "path") .) -}}
{{- $implied := get (dict "http" "80" "https" "443") $scheme -}}
{{ $scheme }}://{{ include "common.endpoints.host" . }}{{ if ne $port $implied }}:{{ $port }}{{ end }}{{ $path }}
{{- end -}}
