{{- /* The entry of an endpoint as JSON. Fails with the name of an endpoint that is missing. */ -}}
{{- define "common.endpoints.entry" -}}
{{- $entry := get .ctx.endpoints .type -}}
{{- ternary $entry "" (kindIs "map" $entry) | required (printf "endpoints.%s is needed and not set" .type) | toJson -}}
{{- end -}}
