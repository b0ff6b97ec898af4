{{- /* The entry of an endpoint as JSON, or the end of the rendering with the name that is missing. */ -}}
{{- define "common.endpoints.entry" -}}
{{- $entry := get .ctx.endpoints .type -}}
{{- if not (kindIs "map" $entry) -}}
{{- fail (printf "endpoints.%s is needed and not set" .type) -}}
{{- end -}}
{{- toJson $entry -}}
{{- end -}}
