{{- /*
The release's Secrets: `env`, the variables of its pods; `files`, whole files; and those in `generated`, which a job
fills: they are left alone after that, and kept when the release goes, for what they protect may stay.
*/ -}}
{{- define "common.kinds.secrets" -}}
{{- $ctx := . -}}
{{- $files := dict -}}
{{- range $_, $file := .files -}}
{{- if and $file.imported $file.secret -}}
{{- $_ := set $files $file.name $file.text -}}
{{- else if and $file.text $file.secret -}}
{{- $_ := set $files $file.name (trim $file.text | printf "%s\n") -}}
{{- end -}}
{{- end -}}
{{- range $key, $data := dict "env" .secrets "files" $files -}}
{{- $given := dig "secrets" $key "" $ctx.values -}}
{{- if and $data (not $given) (include "common.context.enabled" (dict "ctx" $ctx "key" (printf "secret-%s" $key))) }}
---
apiVersion: v1
kind: Secret
{{ include "common.context.metadata" (dict "ctx" $ctx "name" (include "common.context.name" (dict "ctx" $ctx "key" $key))) }}
type: Opaque
data:
  {{- range $name, $value := $data }}
  {{ $name }}: {{ b64enc $value }}
  {{- end }}
{{ end -}}
{{- end -}}
{{- range $key, $_ := .root.Values.generated -}}
{{- if include "common.context.enabled" (dict "ctx" $ctx "key" (printf "secret-%s" $key)) }}
---
apiVersion: v1
kind: Secret
{{ include "common.context.metadata" (dict "ctx" $ctx "name" (include "common.context.name" (dict "ctx" $ctx "key" $key)) "annotations" (dict "helm.sh/resource-policy" "keep")) }}
type: Opaque
{{ end -}}
{{- end -}}
{{- end -}}
