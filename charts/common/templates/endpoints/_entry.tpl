{{- /* The entry of an endpoint as JSON, or the end of the rendering with the name that is missing. */ -}}
{{- define "common.endpoints.entry" -}}
{{- $entry := get .ctx.endpoints .type -}}
{{- ternary $entry "" (kindIs "map" $entry) | required (printf "endpoints.%s is needed and not set" .type) | toJson -}}
{{- end -}}
