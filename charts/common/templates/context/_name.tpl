{{- /*
The name of an object of this release: `<release>-<key>`. Longer than 50 characters it ends in a hash instead, so that
what Kubernetes appends (a Job's hash, a StatefulSet's revision, `-peers`) still fits into the 63 of a label.
*/ -}}
{{- define "common.context.name" -}}
{{- $name := printf "%s-%s" .ctx.release .key -}}
{{- if gt (len $name) 50 -}}
{{- $name = printf "%s-%s" (trunc 41 $name | trimSuffix "-") (sha256sum $name | trunc 8) -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{- /* The same of .key, or what the values that all share have at {value: PATH}: a name that somebody else gave. */ -}}
{{- define "common.context.object" -}}
{{- if kindIs "map" .key -}}{{ include "common.context.value" (dict "ctx" .ctx "path" .key.value) }}{{- else -}}{{ include "common.context.name" . }}{{- end -}}
{{- end -}}

{{- /* What stands at .path of the values that all releases share, as text: `region`, `ingress.class`. */ -}}
{{- define "common.context.value" -}}
{{- $value := .ctx.values -}}
{{- range splitList "." .path -}}{{- $value = get $value . -}}{{- end -}}
{{- toString $value -}}
{{- end -}}
