{{- /*
The name of an object of this release: `<release>-<key>`. If it is longer than 50 characters, it ends in a
hash, so that with what Kubernetes appends (a Job's hash, a StatefulSet's revision, `-peers`) it fits into the
63 characters of a label. With the .key {name: PLACE}, it is the value at this place, the same for all
releases.
*/ -}}
{{- define "common.context.name" -}}
{{- $name := printf "%s-%v" .ctx.release .key -}}
{{- if gt (len $name) 50 -}}
{{- $name = printf "%s-%s" (trunc 41 $name | trimSuffix "-") (sha256sum $name | trunc 8) -}}
{{- end -}}
{{- if kindIs "map" .key }}{{ get .ctx.values .key.name }}{{ else }}{{ $name }}{{ end -}}
{{- end -}}
