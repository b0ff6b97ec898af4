{{- /*
The name of an object of this release: `<release>-<key>`. Longer than 50 characters it ends in a hash instead, so that
what Kubernetes appends (a Job's hash, a StatefulSet's revision, `-peers`) still fits into the 63 of a label. The .key {value: NAME} is an
object that is called as the values of all releases say.
*/ -}}
{{- define "common.context.name" -}}
{{- $name := printf "%s-%v" .ctx.release .key -}}
{{- if gt (len $name) 50 -}}
{{- $name = printf "%s-%s" (trunc 41 $name | trimSuffix "-") (sha256sum $name | trunc 8) -}}
{{- end -}}
{{- if kindIs "map" .key }}{{ get .ctx.values .key.value }}{{ else }}{{ $name }}{{ end -}}
{{- end -}}
