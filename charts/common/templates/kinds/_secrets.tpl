{{- /*
The release's Secrets: `env`, the variables of its pods; `files`, whole files; and those in `generated`, which
a job fills: they are not changed after that, and are kept when the release is removed, because the data that
they protect may remain.
*/ -}}
{{- define "common.kinds.secrets" -}}
{{- range $key, $data := .secrets -}}
{{- $given := dig "secrets" $key "" $.values -}}
{{- if and $data (not $given) (include "common.context.enabled" (dict "ctx" $ "key" (printf "secret-%s" $key))) }}
{{ include "common.context.object" (dict "kind" "v1 Secret" "ctx" $ "key" $key) }}
type: Opaque
data:
  {{- range $name, $value := $data }}
  {{ $name }}: {{ b64enc $value }}
  {{- end }}
{{ end -}}
{{- end -}}
{{- range $key, $_ := .root.Values.generated -}}
{{- if include "common.context.enabled" (dict "ctx" $ "key" (printf "secret-%s" $key)) }}
{{ include "common.context.object" (dict "kind" "v1 Secret" "ctx" $ "key" $key "annotations" (dict "helm.sh/resource-policy" "keep")) }}
type: Opaque
{{ end -}}
{{- end -}}
{{- end -}}
