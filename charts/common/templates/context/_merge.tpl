{{- /*
Merges .from into .into, in place: maps merge, everything else replaces, null removes. Sprig's merge functions
are not suitable: with them an empty value (false, 0, "") of .from would not override.
*/ -}}
{{- define "common.context.merge" -}}
{{- range $key, $value := .from -}}
{{- if kindIs "invalid" $value -}}
{{- $_ := unset $.into $key -}}
{{- else if kindIs "map" $value -}}
{{- $inner := get $.into $key -}}
{{- $inner = ternary $inner dict (kindIs "map" $inner) -}}
{{- include "common.context.merge" (dict "into" $inner "from" $value) -}}
{{- $_ := set $.into $key $inner -}}
{{- else -}}
{{- $_ := set $.into $key $value -}}
{{- end -}}
{{- end -}}
{{- end -}}
