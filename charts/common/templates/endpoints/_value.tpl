{{- /* An .attribute of an endpoint (scheme, path, hosts, port.api, …) for an .interface (internal): its own value, else `default`. */ -}}
{{- define "common.endpoints.value" -}}
{{- $value := include "common.endpoints.entry" . | mustFromJson -}}
{{- range splitList "." .attribute -}}
{{- $value = get ($value | default dict) . -}}
{{- end -}}
{{- if kindIs "map" $value -}}
{{- $value = coalesce (get $value (.interface | default "internal")) (get $value "default") -}}
{{- end -}}
{{- if kindIs "map" $value -}}
{{- $value = $value.host -}}
{{- end -}}
{{- if kindIs "string" $value -}}{{ $value }}{{- else if $value -}}{{ toJson $value }}{{- end -}}
{{- end -}}
