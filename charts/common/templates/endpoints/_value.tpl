{{- /* One attribute (.of: a scalar or a map by interface) for an interface: its own value, else `default`. */ -}}
{{- define "common.endpoints.value" -}}
{{- $value := .of -}}
{{- if kindIs "map" $value -}}
{{- $value = coalesce (get .of .interface) (get .of "default") -}}
{{- end -}}
{{- if kindIs "map" $value -}}
{{- $value = $value.host -}}
{{- end -}}
{{- if kindIs "string" $value -}}{{ $value }}{{- else if $value -}}{{ toJson $value }}{{- end -}}
{{- end -}}
