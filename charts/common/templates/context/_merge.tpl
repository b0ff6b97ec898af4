{{- /*
Merges .from into .into, in place: maps merge, everything else replaces, null removes. Sprig's own merge
functions are of no use here: they let an empty value (false, 0, "") of the stronger side lose.
*/ -}}
{{- define "common.context.merge" -}}
{{- $into := .into -}}
{{- range $key, $value := .from -}}
{{- if kindIs "invalid" $value -}}
{{- $_ := unset $into $key -}}
{{- else if and (kindIs "map" $value) (kindIs "map" (get $into $key)) -}}
{{- include "common.context.merge" (dict "into" (get $into $key) "from" $value) -}}
{{- else if kindIs "map" $value -}}
{{- $copy := dict -}}
{{- include "common.context.merge" (dict "into" $copy "from" $value) -}}
{{- $_ := set $into $key $copy -}}
{{- else -}}
{{- $_ := set $into $key $value -}}
{{- end -}}
{{- end -}}
{{- end -}}
